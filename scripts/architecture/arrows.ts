import { posix } from "node:path";
import { computedImports, foldersWithTypeCycles, type Reach, type Room, outsiders, rooms } from "./rooms.ts";
import type { Import } from "./syntax.ts";
import { isSource, type SourceFile } from "./tree.ts";

const self = "throughline";
const within = (path: string, place: string): boolean => (place.endsWith("/") ? path.startsWith(place) : path === place);

/** The room of a file; undefined if none claims it. A file's own entry wins over the folder that holds it. */
export function roomOf(path: string): Room | undefined {
  return rooms.find((room) => room.paths.some((place) => within(path, place)));
}

/** The path that a relative specifier points at, from the root of the repository. */
export const resolveImport = (from: string, specifier: string): string => posix.normalize(posix.join(posix.dirname(from), specifier));

const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Whether `room` may reach `target` in this way: `"x"` allows any, `"x (lazy)"` also types, `"x (types)"` only types. */
function mayReach(room: Room, target: string, reach: Reach): boolean {
  if (room.may.includes(target)) return true;
  if (reach === "types") return room.may.includes(`${target} (types)`) || room.may.includes(`${target} (lazy)`);
  return reach === "lazy" && room.may.includes(`${target} (lazy)`);
}

/** What is wrong with one import of a source file; undefined if nothing is. */
function offence(file: SourceFile, room: Room, { specifier, reach }: Import): string | undefined {
  if (specifier === undefined) return file.path in computedImports ? undefined : "a computed import: nobody can tell where it leads";
  if (specifier.startsWith("node:")) return room.node === true || room.node?.includes(specifier) ? undefined : `${room.name} → ${specifier}`;
  if (!specifier.startsWith(".")) {
    if (packageName(specifier) === (room.package ?? self)) return `${specifier}: inside the package, import the file`;
    if (specifier === `${self}/testing`) return `${room.name} → ${specifier}, which is for tests`;
    return room.packages?.includes(packageName(specifier)) ? undefined : `${room.name} → package ${packageName(specifier)}`;
  }
  const path = resolveImport(file.path, specifier);
  const target = roomOf(path);
  if (!isSource(path)) return `${specifier} leaves the source`;
  if (target === undefined) return `${specifier} is in no room`;
  if (target.package !== room.package) return `${specifier} is of another package; import ${target.package ?? self} by name`;
  if (target === room) return room.apart === true && path !== file.path ? `${room.name}: ${file.path} → ${path}, and each stands alone` : undefined;
  return mayReach(room, target.name, reach) ? undefined : `${room.name} → ${target.name} (${specifier}, ${reach})`;
}

/** What is wrong with one import of an agent or an example. */
function outsideOffence(file: SourceFile, { specifier }: Import): string | undefined {
  if (specifier === undefined) return "a computed import: nobody can tell where it leads";
  if (specifier.startsWith("node:")) return undefined;
  const home = outsiders.paths.find((place) => within(file.path, place)) ?? "";
  if (specifier.startsWith("."))
    return resolveImport(file.path, specifier).startsWith(home) ? undefined : `${specifier} leaves ${home}; import from "${self}"`;
  const also = Object.entries(outsiders.alsoPackages).flatMap(([folder, packages]) => (within(file.path, folder) ? packages : []));
  const named = packageName(specifier);
  return [...outsiders.packages, ...also].some((name) => name === named) ? undefined : `package ${named}`;
}

/** Every import that the table does not allow, and every source file without a room. */
export function forbiddenImports(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const outside = outsiders.paths.some((place) => within(file.path, place));
    if (!outside && !isSource(file.path)) return [];
    const room = roomOf(file.path);
    if (!outside && room === undefined) return [`${file.path}: no room claims this file; add it to scripts/architecture/rooms.ts`];
    return file.syntax.imports.flatMap((found) => {
      const wrong = outside || room === undefined ? outsideOffence(file, found) : offence(file, room, found);
      return wrong === undefined ? [] : [`${file.path}:${found.line}: ${wrong}`];
    });
  });
}

/** Import cycles among the files, each as the path that closes on itself. Imports of types only are left out: they are gone before anything loads. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(" → "));
    if (start !== -1 || done.has(path)) return;
    for (const { specifier, reach } of known.get(path)?.syntax.imports ?? []) {
      if (reach !== "types" && specifier?.startsWith(".")) walk(resolveImport(path, specifier), [...trail, path]);
    }
    done.add(path);
  };
  for (const path of known.keys()) walk(path, []);
  return cycles.map((cycle) => `import cycle: ${cycle}`);
}

/**
 * Files of the packages that import each other when types count, too: such files are understood only together. Cycles whose files all lie in the listed
 * folders are left out.
 */
export function typeCycles(files: readonly SourceFile[], listed: readonly string[] = foldersWithTypeCycles): readonly string[] {
  const targets = new Map(
    files
      .filter(({ path }) => /^packages\/[a-z]+\/src\//.test(path))
      .map(({ path, syntax }) => [
        path,
        syntax.imports.flatMap(({ specifier }) => (specifier?.startsWith(".") === true ? [resolveImport(path, specifier)] : [])),
      ]),
  );
  // A file and whatever it reaches that reaches it again, by Tarjan's algorithm: `low` is the earliest open file that a file reaches.
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const cycles: (readonly string[])[] = [];
  const visit = (path: string): number => {
    const at = order.size;
    order.set(path, at);
    open.push(path);
    let lowest = at;
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, low.get(target) ?? order.get(target) ?? lowest);
    }
    low.set(path, lowest);
    if (lowest === at) {
      const together = open.splice(open.indexOf(path));
      if (together.length > 1) cycles.push(together.toSorted());
    }
    return lowest;
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return cycles
    .filter((cycle) => !cycle.every((path) => listed.some((folder) => path.startsWith(folder))))
    .map((cycle) => `cycle of types: ${cycle.join(", ")}; move what they share into one of them, or merge them`);
}

/** What is wrong with the table itself: an arrow that points up, or at a room that is not there. */
export function tableFaults(table: readonly Room[] = rooms): readonly string[] {
  const levels = new Map(table.map((room) => [room.name, room.level]));
  return table.flatMap((room) =>
    room.may.flatMap((arrow) => {
      const [, name = arrow, typesOnly] = /^(.*?)(?: \((types)\)| \(lazy\))?$/.exec(arrow) ?? [];
      const level = levels.get(name);
      if (level === undefined) return [`${room.name} → ${name}: there is no such room`];
      return level < room.level || (typesOnly !== undefined && level === room.level)
        ? []
        : [`${room.name} (${room.level}) → ${name} (${level}) points up`];
    }),
  );
}
