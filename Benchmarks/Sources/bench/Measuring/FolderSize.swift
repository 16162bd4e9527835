import Glibc

/// Bytes that a folder takes on the disk.
enum FolderSize {
  /// Allocated blocks of all files in a folder, at any depth.
  static func allocated(_ folder: String) -> Int {
    guard let stream = unsafe opendir(folder) else { return 0 }
    defer { _ = unsafe closedir(stream) }
    var size = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      let path = folder + "/" + name
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { continue }
      size += status.st_blocks * 512
      if status.st_mode & S_IFMT == S_IFDIR { size += allocated(path) }
    }
    return size
  }
}
