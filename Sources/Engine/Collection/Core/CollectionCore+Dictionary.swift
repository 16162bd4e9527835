/// Dictionaries for small documents.
extension CollectionCore {
  /// Documents that a dictionary is made of, and as many that it is tried on.
  private static let sampleCount = 64

  /// Each trial comes after so many times the writes of the one before.
  static let trialFactor: UInt64 = 8

  /// How many dictionaries slots may refer to.
  package var dictionaryCount: Int { place.manifest.dictionaries.count }

  /// The first trial that lies behind a sequence.
  package static func trial(after sequence: UInt64, first: UInt64) -> UInt64 {
    var trial = max(1, first)
    while trial <= sequence {
      let (product, overflow) = trial.multipliedReportingOverflow(by: trialFactor)
      if overflow { return .max }
      trial = product
    }
    return trial
  }

  /// Makes a dictionary where the collection has grown much since the last trial, and keeps it if
  /// documents become clearly smaller.
  ///
  /// The manifest that holds it is durable before the first slot refers to it. If that fails, the
  /// collection goes on as before.
  func renewDictionaryIfDue() {
    guard store.nextSequence > nextDictionaryTrial else { return }
    nextDictionaryTrial = Self.trial(
      after: store.nextSequence, first: policy.dictionaryTrialStart)
    let known = place.manifest.dictionaries
    guard shape.compression == .gzip, known.count < DeflateDictionary.countLimit else { return }
    let bodies = sampledBodies()
    let samples = bodies.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let messages = bodies.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    guard !samples.isEmpty, !messages.isEmpty else { return }
    let dictionary = DeflateDictionary(version: UInt8(known.count + 1), samples: samples)
    guard dictionary.isWorthwhile(for: messages, insteadOf: known.last) else { return }
    var manifest = place.manifest
    manifest.dictionaries.append(dictionary)
    do throws(DatabaseDirectoryError) {
      place = try database.replaceManifest(of: place, with: manifest)
    } catch {
      NyaruLogger.log(.warning, "a dictionary for \(place.directory.path) could not be kept")
      return
    }
    store.useDictionaries(manifest.dictionaries)
    setShape(DocumentShape(manifest, number: shape.number))
    NyaruLogger.log(
      .info,
      "documents of \(place.directory.path) are compressed with dictionary "
        + "\(dictionary.version) from now on")
  }

  /// Bodies from all over the collection, small enough to gain.
  private func sampledBodies() -> [[UInt8]] {
    let snapshot = reader.snapshot()
    let records: [Result<StoredRecord, StorageError>]
    do throws(StorageError) {
      records = try snapshot.records(snapshot.sampledHandles(2 * Self.sampleCount))
    } catch {
      return []
    }
    return records.compactMap { result in
      guard case .success(let record) = result, !record.isDeletion,
        DeflateDictionary.messageSizes.contains(record.body.count)
      else { return nil }
      return Array(record.body)
    }
  }
}
