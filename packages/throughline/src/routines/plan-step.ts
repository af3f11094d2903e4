/** Follows routines within a turn: before each step of the reply, moves the position as far as it goes without work, and plans the step that works for its node. */
import { eventsOf } from "../extension/lists.ts";
import type { ExtensionTurn, NextStep, StepPlan } from "../extension/port.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { callIdOf } from "../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { PromptSection } from "../model/model-port.ts";
import type { ToolResult } from "../session/event.ts";
import { decodeEvent } from "../session/fold.ts";
import type { StoredEvent } from "../store/port.ts";
import { commandIn, customEvents, eventAfter, type RoutineCommand } from "./inbox.ts";
import {
  acted,
  asState,
  checkedAt,
  type EndedRun,
  enter,
  type Frame,
  leave,
  leaveRun,
  migrated,
  moveTo,
  type NodeProgress,
  type Position,
  positionIn,
  positionWriter,
  progress,
  readUpto,
  runsIn,
  taken,
  thought,
  topOf,
} from "./position.ts";
import { positionField, type Routine, type RoutineNode, type RoutineScope, shapeOf, toolNameOf } from "./routine.ts";
import { inputOf, notEntered } from "./routine-input.ts";
import { enterTool, sentencesOf } from "./routine-tools.ts";
import { visitNodes } from "./observed-nodes.ts";
import { isLate, isOpen, timedOut } from "./runs/run-record.ts";
import { keepRuns, runHere } from "./runs/run-turn.ts";
import { type AnyScope, holds, mapped, mappedJson, timeOf, valueAt } from "./values.ts";
import { wakeAt } from "./wake.ts";

/** The routines of an extension. */
export interface Book {
  readonly routines: ReadonlyMap<string, Routine>;
  /** Names of the tools that only nodes use. */
  readonly own: ReadonlySet<string>;
}

/** Maximum number of moves without work. More mean that branches lead in a circle. */
const mostMoves = 200;
/** Maximum number of routines that interrupt or run each other. */
const deepest = 16;
/** Tries of a model for a choice. */
const choiceTries = 3;
const usualTries = 3;

type EnterCommand = Extract<RoutineCommand, { type: "enter" }>;

/** Thrown where a node cannot act. The message is its reason. */
class NodeFailed extends Error {}

/** Turns whose events for routines were handled in this attempt. */
const handled = new WeakSet<ExtensionTurn>();

/** Plans the next step of a reply. */
export async function planStep(turn: ExtensionTurn, next: NextStep, book: Book): Promise<StepPlan> {
  const walk = new Walk(turn, next, book);
  if (!handled.has(turn)) {
    await walk.handleEvents();
    handled.add(turn);
  }
  await walk.leaveOver();
  const plan = await walk.plan();
  keepRuns(turn, { position: positionIn(turn.journal.state), ended: walk.ended, routines: book.routines });
  return plan;
}

/** One planning. It holds the position that it moves, and writes it before it returns. */
class Walk {
  readonly #turn: ExtensionTurn;
  readonly #next: NextStep;
  readonly #book: Book;
  readonly #number: number;
  /** How each run ended that this planning has ended. */
  readonly ended = new Map<string, EndedRun>();
  #current: Position;
  /** Whether a node fails now. */
  #isFailing = false;

  constructor(turn: ExtensionTurn, next: NextStep, book: Book) {
    this.#turn = turn;
    this.#next = next;
    this.#book = book;
    this.#number = turn.claim.turn.number;
    this.#current = positionIn(turn.journal.state);
    // Also where the position stays as it is, so that the nodes of an earlier turn are visited in this one too.
    visitNodes(turn, this.#current.frames, book);
    this.#position = migrated(this.#current, book.routines);
  }

  get #position(): Position {
    return this.#current;
  }

  set #position(next: Position) {
    const stay = runsIn(next);
    for (const run of runsIn(this.#current)) if (!stay.includes(run) && next.last !== undefined) this.ended.set(run, next.last);
    this.#current = next;
    visitNodes(this.#turn, next.frames, { routines: this.#book.routines, how: this.#isFailing ? "failed" : "left" });
  }

  /** Whether the turn answers a customer. */
  get #answers(): boolean {
    const { cause } = this.#turn.claim.turn;
    return this.#turn.answered.length > 0 || (cause !== "trigger" && cause !== "schedule");
  }

  /** Enters and leaves the routines that callers have asked for since the last turn. */
  async handleEvents(): Promise<void> {
    const { loaded } = this.#turn;
    const from = (this.#position.read ?? -1) + 1;
    const events = await customEvents(this.#turn, from);
    for (const event of events) {
      const command = commandIn(event);
      if (command === undefined) continue;
      if (command.type === "leave") this.#leaveFor(command.run);
      else if (command.run === undefined) this.#enterFor(command, event.offset);
      else await this.#enterRun({ ...command, run: command.run }, event);
      this.#position = readUpto(this.#position, event.offset);
    }
    // So that the next turn reads less, at most once in so many events.
    if (events.length > 0 && loaded.session.head - from > 500) this.#position = readUpto(this.#position, loaded.session.head);
  }

  /** Enters the routine that a caller asks for, with an input that fits it. */
  #enterFor({ routine: id, input }: Pick<EnterCommand, "routine" | "input">, since: number): void {
    const routine = this.#book.routines.get(id);
    if (routine === undefined) return;
    this.#attempt("a command for routines failed", () => {
      if (routine.autonomous !== undefined) throw notEntered(routine);
      this.#enter(routine, { input: inputOf(routine, input), since });
    });
  }

  /** Enters the routine of a run that is not over. Only the event that was committed with the run counts. */
  async #enterRun({ routine: id, input, run }: EnterCommand & { readonly run: string }, { offset: since, trace_id }: StoredEvent): Promise<void> {
    const row = await runHere(this.#turn, run);
    if (row?.routine !== id || row.trace_id !== trace_id) {
      this.#turn.runtime.logger.warn("a command for routines names a run that it did not start", this.#place());
      return;
    }
    const routine = this.#book.routines.get(id);
    if (routine === undefined || !isOpen(row)) return;
    const failed = this.#attempt("a run was not entered", () => this.#enter(routine, { input, since, run }));
    if (failed !== undefined) this.ended.set(run, { outcome: "failed", reason: failed });
  }

  /** Leaves the routines of runs that were cancelled or timed out while the turn works, and of runs whose time is over. */
  async leaveOver(): Promise<void> {
    for (const run of runsIn(this.#position)) {
      const row = await runHere(this.#turn, run);
      if (row !== undefined && !isOpen(row)) this.#leaveFor(run);
      else if (row !== undefined && isLate(row, this.#turn.runtime.clock.now())) this.#leaveFor(run, timedOut);
    }
  }

  /** Leaves the routine of a run, or all. */
  #leaveFor(run: string | undefined, how?: EndedRun): void {
    if (run !== undefined) this.#position = checkedAt(leaveRun(this.#position, run, how), this.#number);
    else while (topOf(this.#position) !== undefined) this.#leave({ outcome: "left", reason: "leave" });
  }

  /** Acts outside of a node. A failure is logged and does not end the turn: the next turn would read the same events and messages, and fail too. Returns its reason. */
  #attempt(message: string, act: () => void): string | undefined {
    try {
      act();
      return undefined;
    } catch (error) {
      const why = error instanceof NodeFailed ? { reason: error.message } : { code: ThroughlineError.from(error, "routine.failed").code };
      this.#turn.runtime.logger.error(message, { ...this.#place(), ...why }, error);
      return why.reason ?? why.code;
    }
  }

  /** Moves until a step has to work, and returns its plan. */
  async plan(): Promise<StepPlan> {
    for (let moves = 0; moves < mostMoves; moves++) {
      const plan = await this.#move();
      if (plan === undefined) continue;
      this.#write({});
      return plan;
    }
    this.#fail("moves_in_circle");
    return this.plan();
  }

  async #move(): Promise<StepPlan | undefined> {
    const entering = this.#enterByCondition();
    if (entering !== undefined) return entering === "entered" ? undefined : entering;
    const frame = topOf(this.#position);
    if (frame === undefined) return this.#ordinary();
    const routine = this.#book.routines.get(frame.routine);
    const node = routine?.nodes[frame.node];
    if (routine === undefined || node === undefined)
      throw new ThroughlineError("internal", `There is no node "${frame.node}" in routine "${frame.routine}".`);
    try {
      return await this.#act(routine, node, frame);
    } catch (error) {
      if (error instanceof NodeFailed) this.#failNode(routine, node, error.message);
      else if (isDefect(error)) {
        this.#turn.runtime.logger.error(
          "a node of a routine failed",
          { ...this.#place(), code: ThroughlineError.from(error, "routine.failed").code },
          error,
        );
        this.#failNode(routine, node, ThroughlineError.from(error, "routine.failed").code);
      } else throw error;
      return undefined;
    }
  }

  #place(): JsonObject {
    const frame = topOf(this.#position);
    const { turn_id } = this.#turn.claim.turn;
    return { turn_id, agent: this.#turn.agent.name, ...(frame === undefined ? {} : { routine: frame.routine, node: frame.node }) };
  }

  /** Writes the position and a change of the state. */
  #write(delta: Readonly<Record<string, unknown>>): void {
    const moved = this.#position !== positionIn(this.#turn.journal.state);
    if (!moved && Object.keys(delta).length === 0) return;
    this.#turn.journal.apply(positionWriter, { ...delta, ...(moved ? { [positionField]: asState(this.#position) } : {}) });
    this.#position = positionIn(this.#turn.journal.state);
  }

  /** Changes the state, so that later conditions read it. */
  #change(delta: Readonly<Record<string, unknown>>): void {
    if (Object.hasOwn(delta, positionField))
      throw new ThroughlineError("routine.failed", `A mapping returns changes of the state, and "${positionField}" is where the routines stand.`);
    if (Object.keys(delta).length > 0) this.#write(delta);
  }

  #scope(frame: Frame | undefined, result?: unknown): AnyScope {
    const { input } = frame ?? {};
    // Without a prototype, so that a node without a result has none under the name `constructor` either.
    const outputs: RoutineScope["outputs"] = Object.setPrototypeOf({ ...frame?.outputs }, null) as Frame["outputs"];
    const scope = { state: this.#turn.journal.state, input, outputs, now: this.#turn.runtime.clock.now() };
    return result === undefined ? scope : { ...scope, result };
  }

  #enter(
    routine: Routine,
    entered: { readonly input?: Json | undefined; readonly since: number; readonly runs?: true; readonly run?: string | undefined },
  ): void {
    if (this.#position.frames.length >= deepest) throw new NodeFailed("too_deep");
    this.#position = enter(this.#position, routine, entered);
  }

  #leave(ended: Parameters<typeof leave>[1]): void {
    // A condition that still holds does not enter it again in this turn.
    this.#position = checkedAt(leave(this.#position, ended), this.#number);
  }

  /** Fails the active routine, and each that runs it and has no node for the failure. */
  #fail(reason: string): void {
    const frame = topOf(this.#position);
    if (frame === undefined) return;
    this.#turn.runtime.logger.warn("a routine failed", { ...this.#place(), reason });
    this.#leave({ outcome: "failed", reason, node: frame.node });
  }

  #failNode(routine: Routine, node: RoutineNode, reason: string): void {
    this.#isFailing = true;
    if (node.error === undefined) this.#fail(reason);
    else this.#position = moveTo(acted(this.#position, undefined), node.error, routine);
    this.#isFailing = false;
  }

  /** Enters the routine whose condition holds, with a higher priority than the active one. Returns the step that judges sentences. */
  #enterByCondition(): StepPlan | "entered" | undefined {
    const { checked, asked } = this.#position;
    if (checked === this.#number || this.#turn.answered.length === 0) return undefined;
    const top = topOf(this.#position);
    const active = top === undefined ? undefined : this.#book.routines.get(top.routine);
    const candidates = [...this.#book.routines.values()]
      .filter(({ id, conditions, priority }) => {
        const isFree = !this.#position.frames.some(({ routine }) => routine === id);
        return conditions.length > 0 && isFree && (active === undefined || priority > active.priority);
      })
      .toSorted((one, other) => other.priority - one.priority);
    const scope = this.#scope(undefined);
    const applies = ({ id, conditions }: Routine): boolean => {
      try {
        return conditions.some((condition) => typeof condition !== "string" && holds(condition, scope));
      } catch (error) {
        // The customer is answered without the routine.
        this.#turn.runtime.logger.error(
          "a condition of a routine failed",
          { ...this.#place(), routine: id, code: ThroughlineError.from(error, "routine.failed").code },
          error,
        );
        return false;
      }
    };
    const found = candidates.find(applies);
    const judged = candidates.filter(
      (one) => one.conditions.some((condition) => typeof condition === "string") && (found === undefined || one.priority > found.priority),
    );
    if (judged.length > 0) {
      const answer = asked === undefined ? undefined : this.#answerOf(asked, enterTool);
      if (answer === undefined) return this.#askEnter(judged, asked);
      const chosen = judged.find(({ id }) => id === choiceIn(answer));
      if (chosen === undefined && choiceIn(answer) === undefined && (asked?.tries ?? 0) < choiceTries) return this.#askEnter(judged, asked);
      if (chosen !== undefined) return this.#entered(chosen);
    }
    if (found !== undefined) return this.#entered(found);
    if (judged.length > 0) this.#position = checkedAt(this.#position, this.#number);
    return undefined;
  }

  #entered(routine: Routine): "entered" {
    const since = this.#turn.answered.at(-1)?.offset ?? this.#turn.loaded.session.head;
    this.#attempt("a routine was not entered", () => this.#enter(routine, { since }));
    this.#position = checkedAt(this.#position, this.#number);
    return "entered";
  }

  #askEnter(routines: readonly Routine[], asked: Position["asked"]): StepPlan {
    const tries = asked?.turn === this.#number && asked.step < this.#next.step ? asked.tries + 1 : (asked?.tries ?? 1);
    this.#position = { ...this.#position, asked: { turn: this.#number, step: this.#next.step, tries: asked?.turn === this.#number ? tries : 1 } };
    const lines = routines.map(
      ({ id, title, conditions }) => `- ${id} (${title}): ${conditions.filter((one) => typeof one === "string").join("; or ")}`,
    );
    const text = `Decide which of these applies to the conversation now, and call ${enterTool} with its name, or with none.\n${lines.join("\n")}`;
    return { sections: [section(text)], tools: [enterTool], mustCall: true };
  }

  /** Lets the node act. Returns the step that it needs, or undefined once the position has moved. */
  async #act(routine: Routine, node: RoutineNode, frame: Frame): Promise<StepPlan | undefined> {
    if (frame.at?.done === true) return this.#leaveNode(routine, node, undefined);
    switch (node.kind) {
      case "chat":
        return this.#chat(routine, node, frame);
      case "branch":
        return this.#leaveNode(routine, node, undefined);
      case "tool":
        return this.#tool(routine, node, frame);
      case "think":
        return this.#think(routine, node, frame);
      case "emit_output":
        return this.#emit(routine, node, frame);
      case "approve":
        return this.#approve(routine, node, frame);
      case "wait":
        return this.#wait(routine, node, frame);
      case "run":
        return this.#run(routine, node, frame);
    }
  }

  /** Takes the first transition that applies. Returns the step that judges sentences, if they decide. */
  #leaveNode(routine: Routine, node: RoutineNode, result: unknown): StepPlan | undefined {
    const frame = topOf(this.#position);
    const scope = this.#scope(frame, result ?? frame?.outputs[node.id]);
    const certain = node.next.find(({ when }) => when !== undefined && typeof when !== "string" && holds(when, scope));
    if (certain !== undefined) return this.#go(routine, certain.to);
    const judged = sentencesOf(node).length === 0 ? undefined : this.#judged(routine, node, frame);
    if (typeof judged === "object") return judged;
    const to = judged ?? node.next.find(({ when }) => when === undefined)?.to;
    if (to === undefined) throw new NodeFailed("no_transition");
    return this.#go(routine, to);
  }

  #go(routine: Routine, to: string): undefined {
    if (to === "end") {
      this.#position = moveTo(this.#position, to, routine);
      this.#position = checkedAt(this.#position, this.#number);
    } else this.#position = moveTo(this.#position, to, routine);
  }

  /** Returns where a model's choice among the sentences leads, undefined for none of them, or the step that asks for it. */
  #judged(routine: Routine, node: RoutineNode, frame: Frame | undefined): string | undefined | StepPlan {
    const name = toolNameOf(routine.id, node.id, "next");
    const sentences = sentencesOf(node);
    const { asked, tries = 0 } = frame?.at ?? {};
    const answer = asked?.what === "next" ? this.#answerOf(asked, name) : undefined;
    const choice = choiceIn(answer);
    const failed = answer === undefined ? tries : tries + 1;
    if (choice !== undefined || failed >= choiceTries) {
      this.#progress({ asked: undefined, tries: undefined, judged: this.#number });
      return choice === undefined ? undefined : sentences[Number(choice) - 1]?.to;
    }
    this.#progress({ asked: { turn: this.#number, step: this.#next.step, what: "next" }, tries: failed === 0 ? undefined : failed });
    const lines = sentences.map(({ sentence }, index) => `${index + 1}. ${sentence}`);
    const text = `Decide which of these statements holds now, and call ${name} with the number of the first that does, or with none.\n${lines.join("\n")}`;
    return { sections: [section(text)], tools: [name], mustCall: true };
  }

  #progress(at: { readonly [Name in keyof NodeProgress]: NodeProgress[Name] | undefined }): void {
    this.#position = progress(this.#position, at);
  }

  #chat(routine: Routine, node: Extract<RoutineNode, { kind: "chat" }>, frame: Frame): StepPlan | undefined {
    const { spoke, judged } = frame.at ?? {};
    const replied = spoke !== undefined && spoke < this.#number && this.#turn.answered.length > 0;
    const scope = this.#scope(frame);
    const certain = node.next.find(({ when }) => when !== undefined && typeof when !== "string" && holds(when, scope));
    if (certain !== undefined) return this.#go(routine, certain.to);
    if (replied && sentencesOf(node).length > 0 && judged !== this.#number) {
      const to = this.#judged(routine, node, frame);
      if (typeof to === "object") return to;
      if (to !== undefined) return this.#go(routine, to);
    }
    const always = node.next.find(({ when }) => when === undefined);
    if (replied && always !== undefined) return this.#go(routine, always.to);
    if (!this.#answers && spoke !== undefined && spoke < this.#number) return ending("The routine talks with the customer, who has not written.");
    this.#progress({ spoke: spoke ?? this.#number });
    return { sections: [this.#about(routine, node.action.instructions)], tools: this.#offered(node.action.tools) };
  }

  #tool(routine: Routine, node: Extract<RoutineNode, { kind: "tool" }>, frame: Frame): Promise<StepPlan | undefined> {
    return this.#called(node.action.name, frame, {
      make: () => ({ name: node.action.name, arguments: mappedJson(node.action.arguments, this.#scope(frame)) }),
      take: (result) => {
        if (result.type !== "ok") throw new NodeFailed(result.type === "error" ? result.error.code : `call_${result.type}`);
        this.#position = acted(this.#position, undefined);
        this.#change(mapped(node.action.result, this.#scope(topOf(this.#position), result.value)));
        return this.#leaveNode(routine, node, result.value);
      },
    });
  }

  /** Makes a call for the active node, or takes the result that it has. A call of an earlier turn is found in the log, so it is not repeated. */
  async #called(
    name: string,
    frame: Frame,
    { make, take }: { readonly make: () => NonNullable<StepPlan["calls"]>[number]; readonly take: (result: ToolResult) => StepPlan | undefined },
  ): Promise<StepPlan | undefined> {
    const { asked } = frame.at ?? {};
    const result = asked === undefined ? undefined : asked.turn === this.#number ? this.#answerOf(asked, name) : await this.#recorded(asked, frame);
    // A call that a budget or a stop has kept back was not made. `#recorded` returns no skipped call that had started with effects.
    if (result !== undefined && !(result.type === "skipped" && asked?.turn !== this.#number)) return take(result);
    const call = make();
    this.#progress({ asked: { turn: this.#number, step: this.#next.step, what: "action" } });
    return { calls: [call] };
  }

  #think(routine: Routine, node: Extract<RoutineNode, { kind: "think" }>, frame: Frame): StepPlan | undefined {
    const { instructions, tries = usualTries } = node.action;
    const name = toolNameOf(routine.id, node.id, "output");
    return this.#produced(name, frame, {
      tries,
      plan: () => ({ sections: [this.#about(routine, `${instructions}\nCall ${name} with the result.`)], tools: [name], mustCall: true }),
      take: (value) => {
        this.#position = thought(this.#position, value);
        this.#change(mapped(node.action.result, this.#scope(topOf(this.#position), value)));
        return this.#leaveNode(routine, node, value);
      },
    });
  }

  #emit(routine: Routine, node: Extract<RoutineNode, { kind: "emit_output" }>, frame: Frame): StepPlan | undefined {
    const { instructions, output, tries = usualTries } = node.action;
    const name = toolNameOf(routine.id, node.id, "output");
    return this.#produced(name, frame, {
      // What the scope gives would be the same again.
      tries: output === undefined ? tries : 1,
      plan: () =>
        output === undefined
          ? { sections: [this.#about(routine, `${instructions}\nCall ${name} with the output.`)], tools: [name], mustCall: true }
          : { calls: [{ name, arguments: mappedJson(output, this.#scope(frame)) }] },
      take: (value) => {
        this.#position = acted(this.#position, value);
        return this.#leaveNode(routine, node, value);
      },
    });
  }

  /** Takes a valid output, or plans the step that produces one. An invalid one goes back to the model a limited number of times. */
  #produced(
    name: string,
    frame: Frame,
    { tries: most, plan, take }: { readonly tries: number; readonly plan: () => StepPlan; readonly take: (value: Json) => StepPlan | undefined },
  ): StepPlan | undefined {
    const { asked, tries = 0 } = frame.at ?? {};
    const result = asked === undefined ? undefined : this.#answerOf(asked, name);
    if (result?.type === "ok") return take(result.value);
    const failed = result === undefined ? tries : tries + 1;
    if (failed >= most) throw new NodeFailed("output_validation_failed");
    const planned = plan();
    this.#progress({ asked: { turn: this.#number, step: this.#next.step, what: "action" }, tries: failed === 0 ? undefined : failed });
    return planned;
  }

  async #approve(routine: Routine, node: Extract<RoutineNode, { kind: "approve" }>, frame: Frame): Promise<StepPlan | undefined> {
    const { put_off } = frame.at ?? {};
    if (put_off !== undefined && (put_off === this.#number || this.#answers)) return this.#putOff(routine, node.action.question);
    const name = toolNameOf(routine.id, node.id, "output");
    return this.#called(name, frame, {
      make: () => ({ name, arguments: { question: node.action.question, ...mappedJson(node.action.details, this.#scope(frame)) } }),
      take: (result) => {
        if (result.type === "blocked" && result.by === "message") return this.#putOff(routine, node.action.question);
        if (result.type !== "ok" && result.type !== "blocked") throw new NodeFailed(`approval_${result.type}`);
        const value = result.type === "ok" ? { approved: true } : { approved: false, reason: result.reason };
        this.#position = acted(this.#position, value);
        return this.#leaveNode(routine, node, value);
      },
    });
  }

  /** Answers the customer first. The approval is asked again in a turn of its own. */
  #putOff(routine: Routine, question: string): StepPlan {
    this.#progress({ asked: undefined, put_off: this.#number });
    this.#turn.journal.keep(wakeAt(this.#turn.claim.session_id, this.#turn.runtime.clock.now()));
    return this.#waiting(routine, `a decision of the staff: ${question}`);
  }

  async #wait(routine: Routine, node: Extract<RoutineNode, { kind: "wait" }>, frame: Frame): Promise<StepPlan | undefined> {
    const { event, seconds, until: given } = node.action;
    const now = this.#turn.runtime.clock.now();
    const take = (value: Json): StepPlan | undefined => {
      this.#position = acted(this.#position, value);
      this.#change(mapped(node.action.result, this.#scope(topOf(this.#position), value)));
      return this.#leaveNode(routine, node, value);
    };
    const happened = event === undefined ? undefined : await eventAfter(this.#turn, event, frame.taken?.[event] ?? frame.since);
    if (event !== undefined && happened !== undefined) {
      this.#position = taken(this.#position, event, happened.offset);
      return take({ event, data: happened.data });
    }
    let until = frame.at?.until;
    if (until === undefined && (seconds !== undefined || given !== undefined)) {
      const times = [
        ...(seconds === undefined ? [] : [now + Math.ceil(seconds * 1_000)]),
        ...(given === undefined ? [] : [timeOf(typeof given === "function" ? given(this.#scope(frame)) : valueAt(given.from, this.#scope(frame)))]),
      ];
      until = Math.min(...times);
      this.#progress({ until });
    }
    if (until !== undefined && until <= now) return take({ timeout: true });
    // Again in each turn: a fork has no record, and after a withdrawal the record may be gone.
    if (until !== undefined) this.#turn.journal.keep(wakeAt(this.#turn.claim.session_id, until));
    return this.#waiting(routine, event === undefined ? "the time to go on" : `the event "${event}"`);
  }

  #run(routine: Routine, node: Extract<RoutineNode, { kind: "run" }>, frame: Frame): StepPlan | undefined {
    if (frame.at?.asked === undefined) {
      const child = this.#book.routines.get(node.action.routine);
      if (child === undefined) throw new NodeFailed("unknown_routine");
      const checked = child.input === undefined ? undefined : shapeOf(child.input).check(mappedJson(node.action.input, this.#scope(frame)));
      if (checked?.ok === false) throw new NodeFailed("input_validation_failed");
      this.#progress({ asked: { turn: this.#number, step: this.#next.step, what: "action" } });
      this.#enter(child, { input: checked?.value as Json | undefined, since: this.#turn.loaded.session.head, runs: true });
      return undefined;
    }
    const { last } = this.#position;
    if (last?.outcome !== "completed") throw new NodeFailed(last?.reason ?? "failed");
    const value = last.output ?? null;
    this.#position = acted(this.#position, value);
    this.#change(mapped(node.action.result, this.#scope(topOf(this.#position), value)));
    return this.#leaveNode(routine, node, value);
  }

  /** A step in which the routine has nothing to do: the agent answers the customer, or the turn ends. */
  #waiting(routine: Routine, what: string): StepPlan {
    if (!this.#answers) return ending(`Routine "${routine.id}" waits.`);
    return {
      sections: [this.#about(routine, `This waits for ${what}. Answer the customer, and do not promise more.`)],
      tools: this.#offered(undefined),
    };
  }

  /** A step without a routine. */
  #ordinary(): StepPlan {
    const { last } = this.#position;
    const ended = last === undefined || this.#position.checked !== this.#number ? undefined : this.#book.routines.get(last.routine);
    // The result of a run is the run's. A message that the turn answers too is answered as usual.
    if (ended?.autonomous !== undefined && !this.#answers) {
      if (last?.outcome !== "completed")
        return { end: { reason: "error_forbade", message: `Routine "${ended.id}" ${last?.outcome ?? "failed"}: ${last?.reason ?? ""}.` } };
      return ending(`Routine "${ended.id}" is completed.`);
    }
    return this.#answers ? { tools: this.#offered(undefined) } : ending("No routine is active.");
  }

  #offered(names: readonly string[] | undefined): readonly string[] {
    return names ?? this.#next.tools.filter((name) => !this.#book.own.has(name));
  }

  /** Describes the routine for a model: its instructions now, and the results of earlier nodes. */
  #about({ title, description }: Routine, instructions: string): PromptSection {
    const { input, outputs = {} } = topOf(this.#position) ?? {};
    const known = { ...(input === undefined ? {} : { input }), ...(Object.keys(outputs).length === 0 ? {} : { results: outputs }) };
    const about = `${title}. ${description}`.trim();
    return section(`${about}\n${instructions}${Object.keys(known).length === 0 ? "" : `\nKnown so far: ${JSON.stringify(known)}`}`);
  }

  /** Returns the result of the call that a step of this turn made, `unknown` if the step made no such call, or undefined before the step. */
  #answerOf(asked: { readonly turn: number; readonly step: number }, name: string): ToolResult | undefined {
    const { steps } = this.#next.execution.execution;
    if (asked.turn !== this.#number || steps.length < asked.step) return undefined;
    const made = steps.at(asked.step - 1)?.tool_executions.findLast((call) => call.name === name);
    return made?.result ?? { type: "unknown" };
  }

  /** Returns the result of a call of an earlier turn from the log. One with effects that started and has no result may have taken effect. */
  async #recorded(asked: { readonly turn: number; readonly step: number }, { since }: Frame): Promise<ToolResult | undefined> {
    const { claim, runtime } = this.#turn;
    const call_id = callIdOf(asked.turn, asked.step, 1);
    let result: ToolResult | undefined;
    let mayHaveRun = false;
    for await (const stored of eventsOf(runtime.store, { session_id: claim.session_id, min_offset: since, kinds: ["tool"] })) {
      const event = decodeEvent(stored);
      if (event.kind !== "tool" || event.data.call_id !== call_id) continue;
      if (event.data.type === "returned") result = event.data.result;
      // A repeated call would have another key, so an idempotent one is not repeated either.
      else mayHaveRun ||= event.data.effects !== "none";
    }
    return mayHaveRun && (result === undefined || result.type === "skipped") ? { type: "unknown" } : result;
  }
}

const section = (text: string): PromptSection => ({ name: "routine", text });

const ending = (message: string, text = ""): StepPlan => ({ end: { message, text } });

/** Returns the choice in the result of a choosing call. */
function choiceIn(result: ToolResult | undefined): string | undefined {
  if (result?.type !== "ok" || !isPlainObject(result.value)) return undefined;
  const { choice } = result.value;
  return typeof choice === "string" ? choice : undefined;
}

/** Whether an error is the definition's own: thrown by a function of it, or for a value that does not fit the state. */
const isDefect = (error: unknown): boolean =>
  !ThroughlineError.is(error) ||
  ThroughlineError.is(error, "routine.failed") ||
  error.code.startsWith("state.") ||
  error.code.startsWith("schema.") ||
  error.code.startsWith("json.");
