/**
 * The kind of an error. The CLI maps it to an exit code, the server to an HTTP status.
 *
 * - `invalid`: the caller's input is wrong. Repeating the call fails again.
 * - `not_found`: the named thing does not exist.
 * - `conflict`: the request was valid, but the state has changed since.
 * - `unavailable`: a resource (database, model, disk) did not respond. A retry may succeed.
 * - `corrupt`: stored data differs from what was written.
 * - `internal`: a defect in Throughline or in the agent's code.
 */
export type ErrorKind = "invalid" | "not_found" | "conflict" | "unavailable" | "corrupt" | "internal";

/** The catalogue entry of an error code. */
export interface CatalogueEntry {
  readonly kind: ErrorKind;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** What happened, in one sentence, without values. */
  readonly meaning: string;
  /** What to do about the error. */
  readonly hint: string;
}

const invalid = (meaning: string, hint: string): CatalogueEntry => ({ kind: "invalid", retryable: false, meaning, hint });
const missing = (meaning: string, hint: string): CatalogueEntry => ({ kind: "not_found", retryable: false, meaning, hint });
const conflict = (meaning: string, hint: string, retryable = false): CatalogueEntry => ({ kind: "conflict", retryable, meaning, hint });
const unavailable = (meaning: string, hint: string): CatalogueEntry => ({ kind: "unavailable", retryable: true, meaning, hint });
const corrupt = (meaning: string, hint: string): CatalogueEntry => ({ kind: "corrupt", retryable: false, meaning, hint });
const internal = (meaning: string, hint: string): CatalogueEntry => ({ kind: "internal", retryable: false, meaning, hint });

/** All error codes of Throughline. `docs/reference/errors.md` is generated from this table. */
export const errorCatalogue = {
  "input.invalid": invalid("An argument has the wrong shape.", "Correct the value at the path in the message; see the documentation of the call."),
  "json.invalid": invalid(
    "A value is not JSON.",
    "Use plain objects, arrays, strings, finite numbers, booleans and null, or declare a codec for the field.",
  ),
  "patch.invalid": invalid(
    "A JSON Patch operation is malformed or not allowed.",
    "Check `op`, `path` and `value` against RFC 6902; `__proto__`, `constructor` and `prototype` are refused.",
  ),
  "patch.path_missing": invalid("A JSON Patch operation names a path that does not exist.", "Apply the patch to the document that it was made for."),
  "patch.test_failed": conflict("A JSON Patch `test` operation found another value.", "Read the document again and make a new patch."),
  "schema.unsupported": invalid("A schema cannot be used here.", "Use a synchronous Standard Schema (Zod, Valibot, ArkType and others)."),
  "schema.async": invalid("A schema validates asynchronously.", "Move the asynchronous check into a stage; state is validated synchronously."),

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
    "Make the schema accept its own output, or transform the value before you write it.",
  ),
  "state.reducer_failed": invalid("A reducer threw.", "The state is unchanged; correct the reducer or the update."),
  "state.reducer_ambiguous": invalid(
    "A field that may be an array or something else has no named reducer.",
    "Name one: `reduced(schema, { reduce: replace() })` or `append()`.",
  ),
  "state.reducer_mismatch": invalid("An update does not fit the reducer of its field.", "Pass an update of the type that the reducer documents."),
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
  "state.corrupt": corrupt("Stored state does not decode.", "Run `throughline doctor`. If the error remains, restore the session from a backup."),
  "state.serialized_invalid": invalid("A serialized state is malformed.", "Pass the output of `toJSON` unchanged."),

  "agent.invalid": invalid("An agent definition is wrong.", "Correct the option named in the message."),
  "agent.not_found": missing("No agent of that name is registered with the runtime.", "Pass the agent to createRuntime, or correct the name."),
  "customer.not_found": missing("No such customer.", "Create the customer first, or correct the id."),
  "customer.exists": conflict("A customer with that id exists already.", "Update the existing customer, or choose another id."),
  "variables.invalid": invalid("A variable or metadata cannot be stored.", "Use JSON values within the documented size."),
  "variable.not_found": missing("No such variable has a value.", "Set it first, or correct its name."),
  "variable.refresh_failed": unavailable("A variable could not be refreshed.", "The last value stays in use, marked as stale. Look at the cause."),
  "metadata.reserved": invalid("Only Throughline writes that metadata key.", "Choose another key."),

  "session.not_found": missing("No such session.", "Correct the session id, or open a new session."),
  "session.exists": conflict("A session with that key exists already.", "Use `open`, which returns the existing one."),
  "session.conflict": conflict("The session changed during several attempts in a row.", "Read it again and repeat the call.", true),
  "session.identified": conflict("The session belongs to a customer already.", "Identify anonymous sessions only."),
  "session.fork_too_deep": invalid("A chain of forks has at most 64 sessions.", "Fork one of the earlier sessions, or start a new one."),
  "session.invalid": invalid("A session option is wrong.", "Correct the option named in the message."),
  "session.idempotency_mismatch": conflict("An idempotency key was used before with another body.", "Use a new key for a new message."),
  "session.withdraw_splits_turn": invalid(
    "Withdrawing from that offset would split a turn.",
    "Withdraw from the first offset of the turn, named in the details.",
  ),
  "session.manual": conflict("The session is in manual mode, so the agent does not answer.", "Set the mode to `auto` and call `resume`."),
  "session.nothing_to_resume": conflict("No message waits for an answer.", "Send a message first."),
  "session.too_many_waiting": conflict(
    "Too many messages are waiting for an answer in this session.",
    "Wait for the agent to answer, then send again.",
    true,
  ),
  "filter.required": invalid("A bulk delete needs a filter.", "Name an agent or a customer."),
  "cursor.invalid": invalid("The page cursor is not valid for this list.", "Start again without a cursor."),

  "event.not_found": missing("No such event in this session.", "Correct the offset or the id; it may have been removed by retention."),
  "turn.not_found": missing("No such turn in this session.", "List the session's turns."),
  "turn.not_retryable": conflict(
    "That turn cannot be retried.",
    "Retry only the last turn, after it failed or was stopped; otherwise send a new message.",
  ),
  "handover.invalid": invalid("A handover option is wrong.", "Correct the option named in the message."),
  "handover.taken": conflict("Another person has this session.", "Ask that person, or assign it with `from` set to that person."),
  "handover.none": conflict("The session is not with people.", "Hand it over first."),
  "turn.fenced": conflict("Another worker took this turn over, or it was stopped.", "Nothing to do: the other worker answers.", true),
  "turn.poisoned": internal(
    "A turn was claimed three times without progress; the third attempt was not run.",
    "Read the turn's earlier errors in the log, correct the cause and send again.",
  ),
  "turn.stopped": conflict("The turn was stopped before it was answered.", "Send again, or resume the session."),
  "turn.failed": internal("A stage or the model failed.", "Look at the error's cause. The message is stored and can be retried."),
  "extension.failed": internal("An extension threw.", "Correct the extension named in the message."),
  "stage.failed": internal("A stage threw.", "Correct the stage named in the message."),
  "stage.rejected": conflict("A person rejected a stage's question, or it expired.", "Catch it in the stage, or let it stop the turn."),

  "budget.exhausted": conflict("The budget is too small for that.", "Raise the limit named in the message, or send again."),
  "execution.phase": internal("A function was called on an execution in the wrong phase.", "Call it in the phase named in the message."),
  "execution.invalid": invalid("An execution value is malformed.", "Pass the output of `toJSON` unchanged."),
  "budget.invalid": invalid("A budget limit is wrong.", "Limits are non-negative numbers; leave one out for no limit."),

  "tool.invalid": invalid("A tool's definition is wrong.", "Correct the option named in the message."),
  "tool.not_found": missing("The model called a tool that it was not offered.", "Nothing to do: the model is told the available names."),
  "tool.arguments_invalid": invalid("A call's arguments do not match the tool's parameters.", "Nothing to do: the model is told the wrong paths."),
  "tool.failed": internal("A tool threw.", "Look at the cause. The model is told that the call failed."),
  "tool.rejected": conflict("A person rejected the call, or its question.", "Nothing to do: the model is told, with the person's feedback."),
  "subagent.failed": internal(
    "A child agent's turn failed, was withdrawn, or took too long.",
    "Look at the child's session; the details have its id.",
  ),
  "subagent.too_deep": conflict(
    "Child agents are nested too deep.",
    "Raise `maxDepth` of the child's tool. The model is told to do the work itself.",
  ),
  "tool.unavailable": unavailable(
    "The server of a tool could not be reached; the call was not made.",
    "Try again. If it remains, check the server and its connection.",
  ),
  "tool.lost": unavailable(
    "The connection to the server of a tool broke during a call.",
    "The call may have been executed: check the server before you repeat it.",
  ),
  "tool.output_invalid": invalid("A tool returned something that cannot be stored.", "Return JSON that fits the fields of the state."),
  "hook.invalid": invalid("A hook's definition is wrong.", "Correct the point or the option named in the message."),
  "tool.conflict": conflict("Two calls of one reply write the same field.", "Nothing to do: the model is told to call them one after the other."),
  "hook.failed": internal("A hook threw, or took too long.", "Correct the hook named in the message, or set its `onFailure` to ignore failures."),
  "approval.not_pending": conflict(
    "That call does not wait for a decision.",
    "List the pending calls: this one was decided, has expired, or its turn has ended.",
  ),
  "approval.stale": conflict("The call's arguments differ from those of the decision.", "List the pending calls, and decide again."),

  "model.failed": unavailable("The model did not answer.", "Try again. If it remains, check the model's service."),
  "model.filtered": invalid(
    "The model's service withheld the answer.",
    "Look at the request; the documentation of the service says what it filters.",
  ),
  "model.script_exhausted": invalid("A scripted model has no replies left.", "Add a reply to the script."),
  "model.invalid_response": unavailable("The model's answer cannot be read.", "Try again. If it remains, check the adapter and the model's name."),

  "store.unreachable": unavailable("The database cannot be reached.", "Check that it runs and that the address and the credentials are right."),
  "store.busy": unavailable("The database is locked by another process.", "Close the other process, or try again."),
  "store.full": unavailable("The disk of the database is full.", "Free disk space and repeat the call; nothing was partially written."),
  "store.corrupt": corrupt(
    "The database is damaged, or another program wrote to it.",
    "Restore the database from a backup. `throughline doctor` lists what is readable.",
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
  "store.location_invalid": invalid("A database location is not valid.", "Pass a file path, `:memory:` or a postgres:// URL."),
  "prompt.not_kept": missing(
    "The request is not kept.",
    "Set `keepRequests` on the agent. Requests are kept from then on, for the configured time, and removed when something is forgotten.",
  ),
  "safety.invalid": invalid("An option of the gate, or a rule pack, is wrong.", "Correct the value named in the message."),
  "safety.spool_failed": unavailable("The fallback log for assessments cannot be written.", "Check the disk and the folder's permissions."),
  "safety.classifier_invalid": unavailable(
    "The safety classifier's answer cannot be used.",
    "Check the classifier's model. The gate has decided without it.",
  ),
  "safety.not_found": missing("There is no such assessment or alert.", "It may have expired; list the present ones."),
  "routine.invalid": invalid("The definition of a routine is wrong.", "Correct the place named in the message."),
  "routine.not_found": missing("There is no such routine.", "Declare it: routines({ routines: [...] })."),
  "routine.failed": invalid("A function of a routine returned an invalid value.", "Correct the function of the named node."),
  "run.not_found": missing("There is no such run.", "List the present ones. A run is forgotten 30 days after its result."),
  "run.expired": missing("The result of the run is removed.", "Read it within its time, or raise `keep_seconds`. The details are the receipt."),
  "run.not_done": conflict("The run is not over.", "Read its status, and the result once it is over.", true),
  "memory.invalid": invalid("An option of the memory, or an entry, is wrong.", "Correct the value named in the message."),
  "memory.off": invalid("The agent has no memory.", "Declare it: defineAgent({ memory: memory() })."),
  "memory.entry_not_found": missing("There is no such memory entry.", "It may have been forgotten; list the memory."),
  "memory.incognito": conflict("The session is incognito, so it remembers and recalls nothing.", "Open another session to change the memory."),
  "memory.late": unavailable(
    "The memory could not be read in time.",
    "Check the database and the embedding model, or raise `readDeadlineMs`. The turn continues without its memory, and vectors are made later.",
  ),
  "memory.barred": conflict(
    "The person had this forgotten, so it is not stored again automatically.",
    "The person can save it again in their own words.",
  ),
  "embedding.failed": unavailable("The embedding model did not answer.", "Check the model's service. Recall continues by words alone."),
  "embedding.invalid": unavailable("The embedding model returned vectors that cannot be used.", "Check the model's name and its dimensions."),
  "embedding.unavailable": invalid(
    "An embedding model cannot be used here.",
    "Install the optional package, or correct the path of the model; the message says which.",
  ),
  "store.value_invalid": internal("A value cannot be bound to a statement.", "This is a defect of Throughline. Report the message."),
  "encryption.key_missing": invalid(
    "The database is encrypted, and its operator key was not given.",
    "Open it with `encryption: { keys }`, or on the command line with --key-file.",
  ),
  "encryption.key_wrong": invalid(
    "The given operator key does not open the database.",
    "Pass the key of the database's creation or last rotation; keep former keys in the list until a rotation is done.",
  ),
  "encryption.key_invalid": invalid("An operator key is malformed.", "A key is 32 random bytes; `throughline keys generate` makes one."),
  "encryption.not_enabled": invalid(
    "The database is not encrypted, and a key was given.",
    "Open it without a key. To encrypt it, export it and import it into a new database with the key.",
  ),
  "store.not_allowed": invalid(
    "The database role has no permission for that.",
    "Use a role with this permission, or ask the database's administrator.",
  ),
  "store.in_use": conflict("The database is in use.", "Stop the processes that have it open, and try again."),
  "store.failed": unavailable("The database refused a statement.", "Look at the cause; nothing was partially written."),

  "backup.exists": conflict("The file of the backup exists already.", "Name another file, or remove that one."),
  "backup.failed": unavailable("The backup could not be made.", "The message has the reason; nothing was changed."),
  "backup.foreign": invalid("The list of erasures belongs to another database than the backup.", "Pass the list of the database that was backed up."),
  "backup.tombstones_missing": invalid(
    "The list of people who were erased since the backup is missing.",
    "Restore to the location of the database, pass --tombstones with a file of `throughline erasures export`, or pass --without-tombstones.",
  ),
  "bundle.too_large": invalid(
    "The bundle is too large to import.",
    "Export the customer's sessions one by one, and import them one after the other; or raise `maxCharacters`.",
  ),
  "output.failed": unavailable("The output could not be written.", "Check the free space of the target. The effects of the command remain."),
  "node.too_old": invalid("Throughline does not run on this version of Node.", "Install a version named in the message."),
  "package.missing": missing("An optional package is not installed.", "Install the package named in the message."),
  "file.exists": conflict("The output file exists already.", "Name another file, or remove that one."),
  "file.unreadable": missing("The file cannot be read.", "Check its path and its permissions."),
  "bundle.invalid": invalid("The bundle is incomplete, was changed, or has another version.", "Export it again. Nothing was imported."),

  "log.event_unknown": corrupt("An event has a kind or a version that this version of Throughline does not know.", "Update Throughline."),
  "log.retained_from": missing("The log before that offset was removed by retention.", "Read from the first offset named in the message."),
  "log.offset_invalid": invalid("An offset is not in the log.", "Use an offset between the first offset and the head."),

  "request.malformed": invalid("A request cannot be read.", "Send JSON in UTF-8, with a `Content-Type` of `application/json`."),
  "request.invalid": invalid("The request does not match its schema.", "Correct the places in `errors`; `/openapi.json` describes every request."),
  "request.not_found": missing("No route matches that address.", "`/openapi.json` lists the routes."),
  "request.method_not_allowed": invalid("The address does not accept that method.", "Use a method of the `Allow` header."),
  "request.media_type": invalid(
    "The request's body has an unsupported media type.",
    "Send `application/json`, or `application/merge-patch+json` for a patch.",
  ),
  "request.not_acceptable": invalid(
    "The service cannot answer in a media type that the request accepts.",
    "Accept `application/json` or `text/event-stream`.",
  ),
  "request.too_large": invalid("The request's body, or a part of it, is too large.", "Send less. The documentation of the service has the limits."),
  "request.timeout": conflict("The request did not arrive completely in time.", "Send it again.", true),
  "request.in_progress": conflict(
    "A request with that idempotency key is still running.",
    "Wait for the time in `Retry-After`, and send it again.",
    true,
  ),
  "request.key_reused": conflict("That idempotency key was used for another request.", "Use a new key for a new request."),
  "request.answer_removed": missing(
    "The request was carried out, but its answer was removed, because the person had text forgotten that it may quote.",
    "Read the result of the change. Do not repeat the request with another key.",
  ),
  "request.precondition_failed": conflict(
    "It has changed since the version in `If-Match`.",
    "Read it again, and repeat the change on the present version.",
  ),
  "request.precondition_invalid": invalid(
    "The `If-Match` header does not contain a version.",
    "Send the `ETag` of the answer on which the change is based.",
  ),
  "auth.required": invalid("The request has no credentials.", "Send `Authorization: Bearer` with an API key or a customer token."),
  "auth.invalid": invalid("The key or token is unknown, expired or revoked.", "Get a new one; `throughline keys create` makes an API key."),
  "auth.forbidden": invalid("The key or token does not allow that.", "Use an API key that has the scope in `details`."),
  "auth.unconfigured": invalid("A service with a public address needs API keys.", "Make one with `throughline keys create`, or listen on 127.0.0.1."),
  "host.forbidden": invalid(
    "The request was sent to a host name that is not configured.",
    "Use the address of the service, or add the name to `server.hosts`.",
  ),
  "limit.rate": conflict("Too many requests in a short time.", "Wait for the time in `Retry-After`.", true),
  "limit.waiters": conflict(
    "This caller has too many waiting requests and streams.",
    "Close some of them, or read several sessions over one stream.",
    true,
  ),
  "service.cannot_listen": unavailable("The service cannot listen at its address.", "Pass another --port, or end the process that uses it."),
  "service.draining": unavailable("The service is stopping.", "Send the request again; another process answers it."),
  "key.not_found": missing("No such API key.", "List them with `throughline keys list`."),
  "job.not_found": missing("No such job, or its result has been removed.", "Start it again."),
  "job.not_done": conflict("The job is not done yet.", "Ask again later.", true),
  "job.failed": conflict("The job failed, and has no result.", "Read the error of the job; start it again, or look at the log of the service."),
  "outbound.refused": invalid(
    "A request to another server was refused before anything was sent.",
    "Name a public http or https address; list hosts of your own network where the configuration allows hosts.",
  ),
  "outbound.failed": unavailable("Another server could not be reached, or did not answer in time.", "Check the address and whether its server runs."),
  "webhook.map_failed": internal("The function of a webhook source threw.", "Correct its `map`, whose stack is in the log. The sender tries again."),
  "webhook.not_found": missing(
    "No such webhook or dead letter.",
    "List them: `throughline webhooks list` and `webhooks dead`, or `GET /v1/webhooks`.",
  ),
  "config.invalid": invalid("The configuration is wrong.", "Correct every line named in the message."),
  "connection.failed": unavailable("The service cannot be reached, or its answer was cut off.", "Try again. Acknowledged changes are safe."),

  "cli.usage": invalid("The command line is wrong.", "Run the command with --help."),
  timeout: unavailable("An operation took too long.", "Try again, or raise the limit named in the message."),
  aborted: conflict("The call was aborted.", "Nothing to do: the caller asked for it."),
  internal: internal("A defect of Throughline.", "Report the message with its code."),
} as const satisfies Record<string, CatalogueEntry>;

/** A code of the catalogue, such as `"session.conflict"`. */
export type ErrorCode = keyof typeof errorCatalogue;
