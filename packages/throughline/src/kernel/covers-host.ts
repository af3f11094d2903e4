/** Whether a host of a list covers an address: `example.com`, `example.com:8443`, `*.example.com` for all hosts below it, and `*` for all. */
export function coversHost(hosts: readonly string[], { host, hostname }: URL): boolean {
  return hosts.some((given) => {
    const one = given.toLowerCase();
    if (one === "*" || one === hostname || one === host) return true;
    return one.startsWith("*.") && (hostname.endsWith(one.slice(1)) || host.endsWith(one.slice(1)));
  });
}
