extension NyaruDB {
  /// Changes what the database is opened with from now on: another key, or another password.
  ///
  /// The data is not encrypted anew: it has a random key of its own, of which this rewrites the
  /// wrapping, in one small file. It takes as long as deriving a password's key, and reads and
  /// writes go on meanwhile. After a crash the old key opens the database, or the new one; when
  /// the call has returned, only the new one does.
  ///
  /// Who has the old key and an old copy of the file `database` still has the data's own key. If
  /// the old key has become known, copy the documents to a new database instead.
  ///
  /// - Throws: ``NyaruError/wrongKey(reason:)`` if the database has no key, which it gets only
  ///   when it is created; ``NyaruError/storageFailed(operation:path:errno:)``.
  @concurrent
  public nonisolated func changeKey(to key: DatabaseKey) async throws(NyaruError) {
    let credential: DatabaseCredential =
      switch key {
      case .key(let key): .key(key)
      case .password(let password): .password(password)
      }
    try NyaruError.directory { () throws(DatabaseDirectoryError) in
      try directory.changeCredential(to: credential)
    }
  }
}
