/** Tokens that somebody has made up, signed with the very secret of the service where that helps them. */
import { SignJWT, UnsecuredJWT, generateKeyPair, type JWTPayload } from "jose";

export const secret = "a secret that only this test and its service have";

export interface Victims {
  readonly customer: string;
  readonly session: string;
  /** A key that was revoked, and one that is good. */
  readonly revoked: string;
  readonly key: string;
}

const signed = (
  claims: JWTPayload,
  { with: key = secret, header = {} }: { readonly with?: string; readonly header?: object } = {},
): Promise<string> => new SignJWT(claims).setProtectedHeader({ alg: "HS256", ...header }).sign(Buffer.from(key));

/** Credentials that open nothing. */
export async function forgedCredentials({ customer, session, revoked, key }: Victims): Promise<readonly string[]> {
  const iat = Math.floor(Date.now() / 1000);
  const good = { sub: customer, iat, exp: iat + 600, iss: "throughline", aud: "throughline:customer" };
  const { exp: _exp, ...endless } = good;
  const { privateKey } = await generateKeyPair("RS256");
  const [head = "", , sign = ""] = (await signed(good)).split(".");
  const claims = (given: object): string => Buffer.from(JSON.stringify(given)).toString("base64url");
  const header = (given: object): string => Buffer.from(JSON.stringify(given)).toString("base64url");
  const tokens = [
    new UnsecuredJWT(good).encode(),
    `${header({ alg: "none" })}.${claims(good)}.`,
    `${header({ alg: "None", typ: "JWT" })}.${claims(good)}.${sign}`,
    `${head}.${claims({ ...good, sub: "somebody" })}.${sign}`,
    `${head}.${claims(good)}.`,
    `${header({ alg: "HS256", crit: ["x"], x: 1 })}.${claims(good)}.${sign}`,
    await new SignJWT(good).setProtectedHeader({ alg: "RS256" }).sign(privateKey),
    await new SignJWT(good).setProtectedHeader({ alg: "HS512" }).sign(Buffer.from(secret)),
    await signed(good, { with: "another secret of more than thirty-two characters" }),
    await signed(good, { header: { kid: "../../../../dev/null" } }),
    await signed(good, { header: { jku: "http://127.0.0.1:1/keys" }, with: "x".repeat(40) }),
    await signed(endless),
    await signed({ ...good, iat: iat - 1_000, exp: iat - 10 }),
    await signed({ ...good, nbf: iat + 500 }),
    await signed({ ...good, exp: iat + 10 * 86_400 }),
    await signed({ ...good, iss: "somebody" }),
    await signed({ ...good, aud: "throughline:stream" }),
    await signed({ ...good, aud: "throughline:stream", sessions: [session], behalf: { type: "local" } }),
    await signed({ ...good, sub: "" }),
    await signed({ ...good, session: "*" }),
    await signed({ ...good, session: { $ne: null } }),
    await signed({ ...good, sub: [customer] } as unknown as JWTPayload),
  ];
  const [prefix, id] = [key.slice(0, 8), key.slice(8, 24)];
  const keys = [
    revoked,
    key.slice(0, -1),
    `${key}x`,
    key.toUpperCase(),
    `${prefix}${id}_${"A".repeat(43)}`,
    `${prefix}${"0".repeat(16)}_${"A".repeat(43)}`,
    "tl_live_",
  ];
  return [
    ...tokens.map((token) => `Bearer ${token}`),
    ...keys.map((text) => `Bearer ${text}`),
    ...["", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Bearer ....", `Bearer ${"e".repeat(9_000)}`, "Digest x", "null"],
  ];
}
