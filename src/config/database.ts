/** The database as one location, whichever way it is written. */
import type { FileSettings } from "./schema.ts";
import { secret, type Secret } from "./secret.ts";

type DatabaseBlock = NonNullable<FileSettings["agent_config"]["database"]>;

/** The location of a store, as `openStore` takes it. */
export function openPlace(store: string | undefined, database: DatabaseBlock | undefined): Secret | undefined {
  if (database !== undefined) return urlOf(database);
  if (store === undefined) return undefined;
  const location = store === "memory" ? ":memory:" : store;
  return secret(location, withoutPassword(location));
}

/** `require` is PostgreSQL's: encrypted, without a look at who the server is. The driver means more by it unless it is told whose words these are. */
function urlOf({ hostname, password, port, user, dbname, sslmode, sslrootcert }: DatabaseBlock): Secret {
  const query = new URLSearchParams({ sslmode, uselibpqcompat: "true" });
  if (sslrootcert !== undefined) query.set("sslrootcert", sslrootcert);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const place = `${host}:${port}/${encodeURI(dbname)}?${query.toString().replaceAll("+", "%20")}`;
  const name = encodeURIComponent(user);
  return secret(`postgres://${name}:${encodeURIComponent(password.reveal())}@${place}`, `postgres://${name}:***@${place}`);
}

/** A location as it may be shown. */
const withoutPassword = (location: string): string =>
  location.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/iu, "$1:***@").replaceAll(/([?&]password=)[^&]*/giu, "$1***");
