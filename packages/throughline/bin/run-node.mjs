// Plain ES2020 on purpose: see find-node.mjs.
import { spawn } from "child_process";
import { delimiter, dirname } from "path";
import { constants } from "os";

/** Signals that a terminal sends to the whole process group: the child has them already. */
const groupSignals = ["SIGINT", "SIGQUIT", "SIGHUP"];

/**
 * Runs `executable` with `args` in place of this process: same streams, same folder, signals passed on, and this process ends
 * the way the child ends. PATH starts with the executable's folder, so that everything the child starts uses the same Node.
 */
export function runNode(executable, args) {
  const env = Object.assign({}, process.env);
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === "PATH") || "PATH";
  env[pathName] = [dirname(executable), env[pathName]].filter(Boolean).join(delimiter);
  const child = spawn(executable, args, { stdio: "inherit", env });

  const atTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  const handlers = new Map();
  for (const signal of groupSignals.concat("SIGTERM")) {
    const handler = () => {
      if (!(atTerminal && groupSignals.includes(signal))) child.kill(signal);
    };
    handlers.set(signal, handler);
    process.on(signal, handler);
  }

  child.on("error", (error) => {
    process.stderr.write(`${executable} does not start: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    for (const [name, handler] of handlers) process.off(name, handler);
    if (signal === null) process.exitCode = code === null ? 1 : code;
    else {
      // Dying of the same signal tells the shell the truth; the exit code is for signals that this process survives.
      process.exitCode = 128 + (constants.signals[signal] || 0);
      process.kill(process.pid, signal);
    }
  });
}
