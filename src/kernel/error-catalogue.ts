/**
 * What kind of trouble a code stands for. Transports map a kind to their own language: the CLI to an exit code, the
 * server to an HTTP status.
 *
 * - `invalid`: the caller sent something wrong; sending it again will fail again.
 * - `not_found`: what was named does not exist.
 * - `conflict`: the request was right when it was made and the state has moved on.
 * - `unavailable`: a resource (database, model, disk) did not answer; a later try may work.
 * - `corrupt`: stored data is not what was written.
 * - `internal`: a defect of Throughline or of the agent's own code.
 */
export type ErrorKind = "invalid" | "not_found" | "conflict" | "unavailable" | "corrupt" | "internal";

/** What one code means, once and for all places that show it. */
export interface CatalogueEntry {
  readonly kind: ErrorKind;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** What happened, in one sentence, without values. */
  readonly meaning: string;
  /** What to do about it. */
  readonly hint: string;
}

const invalid = (meaning: string, hint: string): CatalogueEntry => ({ kind: "invalid", retryable: false, meaning, hint });
const missing = (meaning: string, hint: string): CatalogueEntry => ({ kind: "not_found", retryable: false, meaning, hint });
const conflict = (meaning: string, hint: string, retryable = false): CatalogueEntry => ({ kind: "conflict", retryable, meaning, hint });
const unavailable = (meaning: string, hint: string): CatalogueEntry => ({ kind: "unavailable", retryable: true, meaning, hint });
const corrupt = (meaning: string, hint: string): CatalogueEntry => ({ kind: "corrupt", retryable: false, meaning, hint });
const internal = (meaning: string, hint: string): CatalogueEntry => ({ kind: "internal", retryable: false, meaning, hint });

/** Every error code of Throughline. `docs/errors.md` is written from this table. */
export const errorCatalogue = {
  "input.invalid": invalid("An argument has the wrong shape.", "Compare the path and the value seen with the documentation of the call."),
  "json.invalid": invalid(
    "A value is not JSON.",
    "Use plain objects, arrays, strings, finite numbers, booleans and null, or declare a codec for the field.",
  ),
  "patch.invalid": invalid(
    "A JSON Patch operation is malformed or not allowed.",
    "Check `op`, `path` and `value` against RFC 6902; `__proto__`, `constructor` and `prototype` are refused.",
  ),
  "patch.path_missing": invalid("A JSON Patch operation points at a place that does not exist.", "Apply the patch to the document it was made for."),
  "patch.test_failed": conflict("A JSON Patch `test` operation found another value.", "Read the document again and make a new patch."),
  "schema.unsupported": invalid("A schema cannot be used here.", "Use a synchronous Standard Schema (Zod, Valibot, ArkType and others)."),
  "schema.async": invalid("A schema validates asynchronously.", "State is validated synchronously; move the asynchronous check into a stage."),

  "state.definition_invalid": invalid("A state definition is wrong.", "Correct the field named in the message."),
  "state.unknown_field": invalid(
    "A delta names a field that the state does not declare.",
    "Declare the field with defineState, or correct its name.",
  ),
  "state.undeclared_write": invalid("A stage wrote a field that it did not declare.", "Add the field to the stage's `writes`."),
  "state.invalid_value": invalid("A value does not match the schema of its field.", "Correct the value at the path named in the message."),
  "state.not_json": invalid(
    "A field's value is not JSON and the field has no codec.",
    "Declare `codec` on the field, or make its schema return JSON.",
  ),
  "state.schema_not_idempotent": invalid(
    "A schema does not accept its own output.",
    "Make the schema accept what it returns; transform the value before it is given to the state.",
  ),
  "state.reducer_failed": invalid("A reducer threw.", "The state is unchanged; correct the reducer or the update."),
  "state.reducer_ambiguous": invalid(
    "A field that may be an array or something else has no named reducer.",
    "Name one: `reduced(schema, { reduce: replace() })` or `append()`.",
  ),
  "state.reducer_mismatch": invalid("An update does not fit the reducer of its field.", "Give the update type that the reducer documents."),
  "state.reducer_unknown": invalid("A stored field names a reducer that is not registered.", "Register the reducer under the same name and version."),
  "state.not_clearable": invalid("A field cannot be cleared.", "Only `reduced` and `turn` fields can be cleared."),
  "state.migration_missing": invalid(
    "No migration leads from the stored version to the version of the definition.",
    "Add the missing step to `migrations`.",
  ),
  "state.migration_failed": invalid(
    "A migration threw or returned something that is not a state.",
    "Correct the migration; the stored state is unchanged.",
  ),
  "state.definition_newer": conflict(
    "The session was written by a newer version of the agent.",
    "Run a version of the agent that is at least as new.",
    true,
  ),
  "state.corrupt": corrupt("Stored state does not decode.", "Run `throughline doctor`; restore the session from a backup if it stays."),
  "state.serialized_invalid": invalid("A serialised state is malformed.", "Give what `toJSON` returned, unchanged."),

  "agent.invalid": invalid("An agent definition is wrong.", "Correct the option named in the message."),
  "agent.not_found": missing("No agent of that name is registered with the runtime.", "Pass the agent to createRuntime, or correct the name."),
  "customer.not_found": missing("No such customer.", "Create the customer first, or correct the id."),
  "customer.exists": conflict("A customer with that id exists already.", "Update the existing customer, or choose another id."),
  "variables.invalid": invalid("A variable or metadata cannot be stored.", "Use JSON values within the documented size."),
  "variable.not_found": missing("No such variable has a value.", "Set it first, or correct its name."),
  "variable.refresh_failed": unavailable("A variable could not be refreshed.", "The last value is used, marked as stale; look at the cause."),
  "metadata.reserved": invalid("That metadata key is written by Throughline alone.", "Choose another key."),

  "session.not_found": missing("No such session.", "Correct the session id, or open a new session."),
  "session.exists": conflict("A session with that key exists already.", "Use `open`, which returns the existing one."),
  "session.conflict": conflict("The session changed in between, several times in a row.", "Read it again and repeat the call.", true),
  "session.identified": conflict("The session belongs to a customer already.", "Identify anonymous sessions only."),
  "session.fork_too_deep": invalid("A chain of forks has at most 64 sessions.", "Fork one of the earlier sessions, or start a new one."),
  "session.invalid": invalid("A session option is wrong.", "Correct the option named in the message."),
  "session.idempotency_mismatch": conflict("An idempotency key was used before with another body.", "Use a new key for a new message."),
  "session.withdraw_splits_turn": invalid(
    "Withdrawing from that offset would cut a turn in two.",
    "Withdraw from the first offset of the turn, named in the details.",
  ),
  "session.manual": conflict("The session is in manual mode, so the agent does not answer.", "Set the mode to `auto` and call `resume`."),
  "session.nothing_to_resume": conflict("There is nothing waiting for an answer.", "Send a message first."),
  "session.too_many_waiting": conflict(
    "Too many messages are waiting for an answer in this session.",
    "Wait for the agent to answer, then send again.",
    true,
  ),
  "filter.required": invalid("A bulk delete needs a filter.", "Name an agent or a customer."),
  "cursor.invalid": invalid("A page cursor is not one that was handed out.", "Start again without a cursor."),

  "event.not_found": missing("No such event in this session.", "Correct the offset or the id; it may have been removed by retention."),
  "turn.not_found": missing("No such turn in this session.", "List the session's turns."),
  "turn.not_retryable": conflict(
    "That turn cannot be tried again.",
    "Only the last turn can, and only if it failed or was stopped; else send a new message.",
  ),
  "handover.invalid": invalid("A hand-over option is wrong.", "Correct the option named in the message."),
  "handover.taken": conflict("Somebody else has taken this session up.", "Ask them, or assign it with `from` naming them."),
  "handover.none": conflict("The session is not with people.", "Hand it over first."),
  "turn.fenced": conflict("Another worker has taken this turn over, or it was stopped.", "Nothing to do: the other worker answers.", true),
  "turn.poisoned": internal(
    "A turn was claimed three times without progress; the third attempt was not run.",
    "Look at the turn's earlier errors in the log; correct the cause and send again.",
  ),
  "turn.stopped": conflict("The turn was stopped before it was answered.", "Send again, or resume the session."),
  "turn.failed": internal("A stage or the model failed.", "The error's cause tells; the message is kept and can be retried."),
  "extension.failed": internal("An extension threw.", "Correct the extension named in the message."),
  "stage.failed": internal("A stage threw.", "Correct the stage named in the message."),

  "budget.exhausted": conflict("The budget has no room for that.", "Raise the limit named in the message, or send again."),
  "execution.phase": internal("A transition was asked of an execution in the wrong phase.", "Call it in the phase named in the message."),
  "execution.invalid": invalid("An execution value is malformed.", "Give what `toJSON` returned, unchanged."),
  "budget.invalid": invalid("A budget limit is wrong.", "Limits are non-negative numbers; leave one out for no limit."),

  "tool.invalid": invalid("A tool's definition is wrong.", "Correct the option named in the message."),
  "tool.not_found": missing("The model asked for a tool that it was not offered.", "The model is told the names that there are."),
  "tool.arguments_invalid": invalid("A call's arguments do not match the tool's parameters.", "The model is told the paths that are wrong."),
  "tool.failed": internal("A tool threw.", "The cause tells; the model is told that the call failed."),
  "tool.rejected": conflict("A person turned the call, or the question that it asked, down.", "The model is told, with the person's words."),
  "subagent.failed": internal(
    "A child agent's turn failed, was taken back, or took too long.",
    "Look at the child's session, which the details name.",
  ),
  "subagent.too_deep": conflict(
    "Child agents may not nest that deep.",
    "The model is told to do the work itself; `maxDepth` of the child's tool is the limit.",
  ),
  "tool.unavailable": unavailable(
    "The server that a tool is at could not be reached; the call was not made.",
    "Try again; if it stays, look at the server and at how it is connected.",
  ),
  "tool.lost": unavailable(
    "The connection to the server that a tool is at broke while a call was under way.",
    "The call may have been done all the same: look at the server before it is made again.",
  ),
  "tool.output_invalid": invalid("A tool returned something that cannot be stored.", "Return JSON, of the shape that the state's fields take."),
  "hook.invalid": invalid("A hook's definition is wrong.", "Correct the point or the option named in the message."),
  "tool.conflict": conflict("Two calls of one reply write the same field.", "The model is told to call them one after the other."),
  "hook.failed": internal("A hook threw, or took too long.", "Correct the hook named in the message, or let its failures be ignored."),
  "approval.not_pending": conflict(
    "Nothing waits for a decision on that call.",
    "Look at what is pending: it was decided, it expired, or the turn has ended.",
  ),
  "approval.stale": conflict("The call's arguments are not those that the decision was made on.", "Look at what is pending, and decide again."),

  "model.failed": unavailable("The model did not answer.", "Try again; if it stays, look at the model's own service."),
  "model.filtered": invalid("The model's service withheld the answer.", "Look at what was asked; the service says what it filters."),
  "model.script_exhausted": invalid("A scripted model was asked more often than it has replies.", "Add a reply to the script."),
  "model.invalid_response": unavailable("The model's answer cannot be read.", "Try again; if it stays, check the adapter and the model's name."),

  "store.unreachable": unavailable("The database cannot be reached.", "Check that it runs and that the address and the credentials are right."),
  "store.busy": unavailable("The database is locked by another process.", "Close the other process, or try again."),
  "store.full": unavailable("The database has no room left.", "Free disk space; nothing was half-written, and the call can be repeated."),
  "store.corrupt": corrupt(
    "The database holds something that was not written by Throughline, or is damaged.",
    "Restore the file from a backup; `throughline doctor` tells what is readable.",
  ),
  "store.schema_newer": conflict(
    "The database was written by a newer version of Throughline.",
    "Update Throughline; an older version does not touch a newer database.",
  ),
  "store.migration_changed": corrupt(
    "An applied migration differs from the one in this version.",
    "Use the version of Throughline that wrote the database.",
  ),
  "store.closed": invalid("The store is closed.", "Open it again before use."),
  "store.not_found": missing(
    "There is no database at that location.",
    "Start a conversation with `throughline chat`, or correct --db (or THROUGHLINE_DB).",
  ),
  "store.location_invalid": invalid("A database location cannot be understood.", "Give a file path, `:memory:` or a postgres:// URL."),
  "prompt.not_kept": missing(
    "The request is not kept.",
    "Set keepRequests on the agent; requests are kept from then on, for as long as it says, and go when something is forgotten.",
  ),
  "safety.invalid": invalid("An option of the gate, or a rule pack, is wrong.", "Correct what the message names."),
  "safety.spool_failed": unavailable(
    "Assessments that wait for the store cannot be written to their file.",
    "Look at the disk and the folder's permissions.",
  ),
  "safety.classifier_invalid": unavailable(
    "The safety classifier's answer is none.",
    "The gate has decided without it; look at the classifier's model.",
  ),
  "safety.not_found": missing("There is no such assessment or alert.", "It may have been removed when its time had come; list what there is."),
  "memory.invalid": invalid("An option of the memory, or an entry, is wrong.", "Correct what the message names."),
  "memory.off": invalid("The agent remembers nothing: its definition has no memory.", "Declare it: defineAgent({ memory: memory() })."),
  "memory.entry_not_found": missing("There is no such memory entry.", "It may have been forgotten; list what is remembered."),
  "memory.incognito": conflict(
    "The session is incognito: nothing of it is remembered, and nothing recalled.",
    "Open another session to change what is remembered.",
  ),
  "memory.late": unavailable(
    "What a memory needs did not come in time.",
    "A turn goes on without its memory, and vectors are made later; look at the database and the embedding model, or give a turn longer: readDeadlineMs.",
  ),
  "memory.barred": conflict(
    "The person had this forgotten, and it is not written again by itself.",
    "The person can save it again in their own words.",
  ),
  "embedding.failed": unavailable("The embedding model did not answer.", "Recall goes on by words alone; look at the model's service."),
  "embedding.invalid": unavailable("The embedding model gave vectors that cannot be used.", "Check the model's name and its dimensions."),
  "embedding.unavailable": invalid(
    "An embedding model cannot be used here.",
    "Install the optional package, or correct the path of the model, as the message says.",
  ),
  "store.value_invalid": internal("A value cannot be bound to a statement.", "This is a defect of Throughline: please report the message."),
  "encryption.key_missing": invalid(
    "The database is encrypted, and the operator key that it needs was not given.",
    "Open it with `encryption: { keys }`, or on the command line with --key-file.",
  ),
  "encryption.key_wrong": invalid(
    "The operator key that was given does not open the database.",
    "Give the key that the database was made or last rotated with; keep former keys in the list until rotation is done.",
  ),
  "encryption.key_invalid": invalid("An operator key is malformed.", "A key is 32 random bytes; `throughline keys generate` makes one."),
  "encryption.not_enabled": invalid(
    "The database is not encrypted, and a key was given.",
    "Open it without a key; to encrypt it, export it and import it into a new database that is opened with the key.",
  ),
  "store.not_allowed": invalid("The database's role may not do that.", "Use a role that may, or have the database's administrator do it."),
  "store.in_use": conflict("The database is in use.", "Stop whatever has it open, and try again."),
  "store.failed": unavailable("The database refused a statement.", "The cause tells; nothing was half-written."),

  "backup.exists": conflict("There is a file already where the backup is to be.", "Name another file, or remove that one."),
  "backup.failed": unavailable("The backup could not be made.", "The message says why; nothing was changed."),
  "backup.foreign": invalid("A list of erasures is of another database than the backup.", "Give the list of the database that was backed up."),
  "backup.tombstones_missing": invalid(
    "Nothing says who was erased since the backup was made.",
    "Restore to where the database is, give --tombstones with a file of `throughline erasures export`, or say --without-tombstones.",
  ),
  "bundle.too_large": invalid(
    "A bundle is larger than an import may be.",
    "Export the customer's sessions one by one, and import them one after the other; or raise `maxCharacters`.",
  ),
  "output.failed": unavailable("The output could not be written.", "Check that there is room where it goes; what the command did is done."),
  "node.too_old": invalid("Throughline does not run on this version of Node.", "Install a version that the message names."),
  "package.missing": missing("A package that a part of Throughline needs is not installed.", "Install the package named in the message."),
  "file.exists": conflict("There is a file already where something is to be written.", "Name another file, or remove that one."),
  "file.unreadable": missing("A file that was named cannot be read.", "Check its path and its permissions."),
  "bundle.invalid": invalid("A bundle is not whole, was changed, or is of another version.", "Export it again; nothing of it was imported."),

  "log.event_unknown": corrupt("An event has a kind or a version that this version does not know.", "Update Throughline."),
  "log.retained_from": missing("The log before that offset was removed by retention.", "Read from the first offset that the message names."),
  "log.offset_invalid": invalid("An offset is not in the log.", "Use an offset between the first offset and the head."),

  "request.malformed": invalid("A request cannot be read.", "Send JSON in UTF-8, with a `Content-Type` of `application/json`."),
  "request.invalid": invalid(
    "A request does not have the shape that is asked for.",
    "Correct what `errors` points at; `/openapi.json` describes every request.",
  ),
  "request.not_found": missing("There is nothing at that address.", "Look at `/openapi.json` for the routes there are."),
  "request.method_not_allowed": invalid("The address does not take that method.", "The `Allow` header names those it takes."),
  "request.media_type": invalid(
    "The request's body has a media type that is not taken here.",
    "Send `application/json`, or `application/merge-patch+json` for a patch.",
  ),
  "request.not_acceptable": invalid(
    "The answer cannot be given in a media type that the request accepts.",
    "Accept `application/json` or `text/event-stream`.",
  ),
  "request.too_large": invalid(
    "A request's body, or something in it, is larger than it may be.",
    "Send less; the limits are in the documentation of the service.",
  ),
  "request.timeout": conflict("A request did not come whole in time.", "Send it again, faster.", true),
  "request.in_progress": conflict(
    "A request with that idempotency key is being answered.",
    "Wait as long as `Retry-After` says, and send it again.",
    true,
  ),
  "request.key_reused": conflict("That idempotency key was used for another request.", "Use a new key for a new request."),
  "request.answer_removed": missing(
    "The request was carried out, but its answer is not kept: the person has had words forgotten since, and it may quote them.",
    "Do not send it again with another key; read what it changed.",
  ),
  "request.precondition_failed": conflict(
    "It has changed since the version that `If-Match` names.",
    "Read it again, and decide on what is there now.",
  ),
  "request.precondition_invalid": invalid("An `If-Match` header does not hold a version.", "Send the `ETag` of the answer that the change rests on."),
  "auth.required": invalid("The request says nothing of who sends it.", "Send `Authorization: Bearer` with an API key or a customer token."),
  "auth.invalid": invalid(
    "The key or token is not known, has run out, or was revoked.",
    "Get a new one; `throughline keys create` makes an API key.",
  ),
  "auth.forbidden": invalid("The key or token does not allow that.", "Use an API key that has the scope in `details`."),
  "auth.unconfigured": invalid("A service that others can reach needs API keys.", "Make one with `throughline keys create`, or listen on 127.0.0.1."),
  "host.forbidden": invalid(
    "The request was sent to a host name that this service does not go by.",
    "Use the address that it was started with, or add the name to `server.hosts`.",
  ),
  "limit.rate": conflict("Too many requests in a short time.", "Wait as long as `Retry-After` says.", true),
  "limit.waiters": conflict(
    "Too many requests of this caller are waiting for events.",
    "Close some, or read several sessions over one stream.",
    true,
  ),
  "service.cannot_listen": unavailable("The service cannot listen at its address.", "Name another port with --port, or end the process that has it."),
  "service.draining": unavailable("The service is about to stop.", "Send the request again; another process takes it."),
  "key.not_found": missing("No such API key.", "List them with `throughline keys list`."),
  "job.not_found": missing("No such job, or its result has been removed.", "Start it again."),
  "job.not_done": conflict("The job is not done yet.", "Ask again a little later.", true),
  "job.failed": conflict("The job failed, and has no result.", "The job says why; start it again, or look at the log of the service."),
  "config.invalid": invalid("The configuration is wrong.", "Correct every line that the message names."),
  "connection.failed": unavailable("The service cannot be reached, or broke off its answer.", "Try again; what was acknowledged is safe."),

  "cli.usage": invalid("The command line is wrong.", "Run the command with --help."),
  timeout: unavailable("Something took longer than it may.", "Try again, or raise the limit named in the message."),
  aborted: conflict("The call was aborted.", "Nothing to do: the caller asked for it."),
  internal: internal("A defect of Throughline.", "Please report the message with its code."),
} as const satisfies Record<string, CatalogueEntry>;

/** A code of the catalogue, such as `"session.conflict"`. */
export type ErrorCode = keyof typeof errorCatalogue;
