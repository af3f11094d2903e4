/** Whether a host of a list covers an address: `example.com`, `example.com:8443`, `*.example.com` for all hosts below it, and `*` for all. */
export function coversHost(hosts: readonly string[], { host, hostname }: URL): boolean {
  return hosts.some((given) => {
    const one = given.toLowerCase();
    if (one === "*" || one === hostname || one === host) return true;
    return one.startsWith("*.") && (hostname.endsWith(one.slice(1)) || host.endsWith(one.slice(1)));
  });
}

const hostPattern = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$|^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/iu;

/** Whether a text is a host or an IP address, with or without a port. A wildcard, a network and a URL are none. */
export function isHost(text: string): boolean {
  const found = hostPattern.exec(text);
  return found !== null && Number(found[1] ?? 0) <= 65_535;
}
