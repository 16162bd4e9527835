import FoundationEssentials
import Glibc
import NyaruEngine
import TestSupport
import Testing

@Suite struct DatabaseDirectoryProcessTests {
  @Test func `fifty processes that create one database at once have one database`() async throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path("db")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = path as String, number = number as Int] in
            let directory = try DiskDirectory.open(path: path, createIfMissing: true)
            while true {
              do throws(DatabaseDirectoryError) {
                let database = try DatabaseDirectory.open(directory)
                let id = Data(database.databaseID)
                try? id.write(to: URL(filePath: path + "/../id\(number)"))
                database.close()
                return
              } catch {
                guard case .locked = error else { throw error }
                sched_yield()
              }
            }
          }
        }
      }
    }
    let ids = (0..<50).map { FileManager.default.contents(atPath: temporary.path("id\($0)")) }
    #expect(Set(ids).count == 1 && ids[0]?.count == 16)
  }
}
