// One import for applications: documents, queries, sync, and the client of endpoints.
@_exported public import NyaruEngine
@_exported public import NyaruSyncHTTP
@_exported public import NyaruSyncLog
