/// The commands, in the order of the help text.
package enum CommandTable {
  package static let all: [CommandDefinition] = documents + replication + keys + maintenance

  package static func definition(of verb: Verb) -> CommandDefinition? {
    all.first { $0.verb == verb }
  }

  private static let documents = [
    CommandDefinition(
      .initialize, "init DIR [--vault-key FILE] [--key FILE]",
      summary: "make a new database",
      discussion: """
        Makes an empty database in DIR, which must not hold one. With --key everything in it is
        encrypted, and every later command needs the same key. With --vault-key it belongs to the
        vault that `key export` printed the key of, and can pull that vault from an endpoint.
        """,
      options: [.vaultKey, .key], required: ["DIR"]),
    CommandDefinition(
      .import,
      "import DIR COLLECTION [FILE.jsonl|-] [--id-field F] [--partition-key F]\n"
        + "[--index F,G] [--upsert]",
      summary: "add documents from a file of JSON lines",
      discussion: """
        Adds the documents of FILE, or of standard input. The options --id-field, --partition-key
        and --index describe the collection when it is made; later imports may leave them out.
        Documents are written in batches, each whole or not at all. At the first wrong line the
        import ends and names it; nothing of the batch that the line is in is written. An import
        that was interrupted can be run again with --upsert.
        """,
      options: [.idField, .partitionKey, .index, .upsert, .key],
      required: ["DIR", "COLLECTION"], optional: ["FILE"]),
    CommandDefinition(
      .export, "export DIR COLLECTION [FILE|-]",
      summary: "write all documents as JSON lines, in the order of their ids",
      discussion: """
        Writes one point in time, to FILE or to standard output. Numbers keep every bit. What JSON
        does not have (NaN, infinities, bytes) is written as docs/format.md says.
        """,
      options: [.key], required: ["DIR", "COLLECTION"], optional: ["FILE"]),
    CommandDefinition(
      .put, "put DIR COLLECTION < documents.jsonl",
      summary: "add or replace documents from standard input",
      discussion: """
        Reads JSON documents, one a line or one after the other, and writes them in batches, each
        whole or not at all. Makes the collection where it is missing.
        """,
      options: [.idField, .key], required: ["DIR", "COLLECTION"]),
    CommandDefinition(
      .get, "get DIR COLLECTION ID",
      summary: "print one document",
      discussion: """
        Prints the document, or ends with status 1 where there is none. An ID is taken as a string;
        where no document has that string as its id, and the ID is a whole number, as that number.
        """,
      options: [.key], required: ["DIR", "COLLECTION", "ID"]),
    CommandDefinition(
      .delete, "delete DIR COLLECTION ID…",
      summary: "remove documents",
      discussion: """
        Removes the documents, all in one batch. Ends with status 1 where an ID names none; the
        others are removed nevertheless. IDs are read as `get` reads them.
        """,
      options: [.key], required: ["DIR", "COLLECTION", "ID"], optional: ["ID…"]),
    CommandDefinition(
      .find,
      "find DIR COLLECTION [--where EXPR] [--sort F[:desc]] [--limit N] [--offset N]\n[--count]",
      summary: "print the documents that match",
      discussion: """
        EXPR compares fields with JSON values: == != < <= > >=, `F in (1, 2)`, `F like "a%"`,
        `exists F`, joined by and, or, not and parentheses. `a.b` is a field inside a field. A
        comparison matches only values of its own kind: `age < 5` matches no string and no null.
        Prints JSON lines, in the order of ids where --sort asks for none.
        """,
      options: [.where, .sort, .limit, .offset, .count, .key], required: ["DIR", "COLLECTION"]),
  ]

  private static let replication = [
    exchange(.sync, "exchange changes with another database or an endpoint", "in both directions"),
    exchange(.push, "send changes to another database or an endpoint", "from A to B only"),
    exchange(.pull, "fetch changes from another database or an endpoint", "from B to A only"),
    CommandDefinition(
      .conflicts, "conflicts DIR [COLLECTION]",
      summary: "show versions that stand beside the one that is seen",
      discussion: """
        Where two replicas changed a document without knowing of each other, both versions stand.
        One is seen by reads; this command shows the others, with their content and number.
        """,
      options: [.key], required: ["DIR"], optional: ["COLLECTION"]),
    CommandDefinition(
      .resolve, "resolve DIR COLLECTION ID [--keep N | < document]",
      summary: "let one version replace all",
      discussion: """
        Keeps version N, as `conflicts` numbers them (0 is the one that is seen), or the document
        that standard input holds. The decision replicates like every other write.
        """,
      options: [.keep, .key], required: ["DIR", "COLLECTION", "ID"]),
    CommandDefinition(
      .status, "status DIR",
      summary: "show collections, vault, peers, and what was not pushed yet",
      discussion: "Reads the database, and changes nothing.",
      options: [.key], required: ["DIR"]),
  ]

  private static func exchange(
    _ verb: Verb, _ summary: String, _ direction: String
  ) -> CommandDefinition {
    CommandDefinition(
      verb,
      "\(verb.rawValue) A B [--dry-run] [--join] [--token-file FILE] [--insecure]",
      summary: summary,
      discussion: """
        A is a directory, B a directory or http(s)://HOST:PORT/VAULT. Changes travel \(direction),
        sealed: an endpoint sees no id and no content. Two new databases join one vault when they
        first meet; databases of different vaults refuse each other, unless --join lets B move
        into the vault of A. Ends with status 1 where conflicts or refused records are left. What
        arrived is durable, and running the command again goes on where it was interrupted.
        """,
      options: [.dryRun, .join, .tokenFile, .insecure, .key, .peerKey], required: ["A", "B"])
  }

  private static let keys = [
    CommandDefinition(
      .key, "key new [FILE]", "key export DIR [FILE]",
      summary: "make a key, or print the vault key of a database",
      discussion: """
        `key new` prints a random key for --key. `key export` prints the key of the database's
        vault, for `init --vault-key` on another machine: who has it can read the vault. A FILE is
        made anew, readable for its owner only.
        """,
      options: [.key], required: ["new|export"], optional: ["DIR|FILE", "FILE"],
      acceptsJSON: false),
    CommandDefinition(
      .rekey, "rekey DIR --at-rest [--key FILE] [--new-key FILE]",
      summary: "change the key of an encrypted database",
      discussion: """
        From then on DIR opens with the key that the FILE of --new-key holds (`-` is standard
        input), and no longer with that of --key. Only one small file is written: the data keeps
        its own key, which the new key wraps. Interrupted, it leaves the old key or the new one in
        force. Old copies of DIR still open with the old key.
        """,
      options: [.atRest, .key, .newKey], required: ["DIR"]),
    CommandDefinition(
      .token, "token new --store DIR [--scopes pull,push]",
      summary: "make a token for an endpoint",
      discussion: """
        Prints the token, as the last word, this one time: the endpoint keeps a hash of it. Works
        while the endpoint is serving.
        """,
      options: [.store, .scopes], required: ["new"]),
    CommandDefinition(
      .serve,
      "serve --store DIR --listen HOST:PORT\n[--insecure | --certificate FILE --private-key FILE]",
      summary: "be an endpoint, until SIGTERM or SIGINT",
      discussion: """
        Serves every vault that clients push, and holds no key to any. Says on standard error (with
        --json on standard output) where it listens; one line a request follows on standard error.
        On SIGTERM or SIGINT it finishes the requests it has, and ends with status 0.
        """,
      options: [.store, .listen, .insecure, .certificate, .privateKey]),
  ]

  private static let maintenance = [
    CommandDefinition(
      .compact, "compact DIR",
      summary: "give back the space of replaced and deleted documents",
      discussion: "Rewrites shard files that hold garbage. It can be interrupted at any time.",
      options: [.key], required: ["DIR"]),
    CommandDefinition(
      .check, "check DIR [--repair]",
      summary: "read everything, and report or repair damage",
      discussion: """
        Reads every slot and checks it. Ends with status 9 where something is damaged, and says
        what; everything else stays readable. With --repair it rebuilds what can be rebuilt, keeps
        bytes that do not read in `quarantine`, and says what it did: status 0 if nothing is
        missing afterwards, 1 if documents are, 9 if something is still damaged.
        """,
      options: [.key, .repair], required: ["DIR"]),
    CommandDefinition(
      .help, "help [COMMAND]",
      summary: "show the commands, or how to use one",
      discussion: "The same as --help.", optional: ["COMMAND"], acceptsJSON: false),
  ]
}
