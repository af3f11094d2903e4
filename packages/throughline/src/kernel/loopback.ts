const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** Whether a host name or address refers to this machine. */
export const isLoopback = (host: string): boolean => loopback.test(host);
