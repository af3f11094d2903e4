/** What the client reads of an agent's type: the JSON of its messages, its state and its results. Nothing of it exists at run time. */
import type { WireJsonObject, WireLivePart, WireState, WireStateEdit, WireStreamedMessage, WireTurnResult } from "./wire.ts";

/** The type of an agent, such as `typeof desk` of an agent made by `defineAgent`. Import it with `import type`. */
export interface ClientAgent {
  readonly name: string;
  /** The types of the agent's data. No agent has this member at run time. */
  readonly "~types"?: unknown;
}

/** The types of an agent's data. */
interface AgentTypes {
  /** The input fields of a message, without its text. */
  readonly input: WireJsonObject;
  /** `true` if a message needs input. */
  readonly needsInput: boolean;
  readonly start: WireJsonObject;
  readonly edit: WireJsonObject;
  /** The state by view. */
  readonly public: WireJsonObject;
  readonly output: WireJsonObject;
  readonly internal: WireJsonObject;
}

/** The types of an agent's data; any JSON if the agent does not say. */
type TypesOf<A extends ClientAgent> = A extends { readonly "~types"?: infer Types }
  ? NonNullable<Types> extends AgentTypes
    ? NonNullable<Types>
    : AgentTypes
  : AgentTypes;

/** What a caller sends with the text of a message. */
type Beside<A extends ClientAgent> = Omit<WireStreamedMessage, "kind" | "source" | "input" | "start"> & {
  readonly start?: TypesOf<A>["start"] | undefined;
};

/** A customer's message: its text, optionally with input and metadata. The text alone is not enough if the agent needs input. */
export type ClientMessage<A extends ClientAgent = ClientAgent> = [TypesOf<A>["needsInput"]] extends [true]
  ? Beside<A> & { readonly input: TypesOf<A>["input"] }
  : string | (Beside<A> & { readonly input?: TypesOf<A>["input"] | undefined });

/** The state of a session in a view. */
export type ClientState<A extends ClientAgent = ClientAgent, View extends "public" | "output" | "internal" = "public"> = Omit<WireState, "state"> & {
  readonly state: TypesOf<A>[View];
};

/** An edit of the state through the agent's reducers. */
export type ClientStateEdit<A extends ClientAgent = ClientAgent> = Omit<WireStateEdit, "delta"> & { readonly delta: TypesOf<A>["edit"] };

/** The outcome of a streamed turn. */
export type ClientTurnResult<A extends ClientAgent = ClientAgent> = Omit<WireTurnResult, "output"> & { readonly output: TypesOf<A>["output"] };

type StatePart = Extract<WireLivePart, { readonly type: "state" }>;
type EndPart = Extract<WireLivePart, { readonly type: "end" }>;

/** A path into a state, as a JSON Pointer. Any text if the fields are not known. */
type PathIn<State> = string extends keyof State ? string : `/${keyof State & string}` | `/${keyof State & string}/${string}`;

/** One item of the live stream of a turn. */
export type ClientLivePart<A extends ClientAgent = ClientAgent> =
  | Exclude<WireLivePart, StatePart | EndPart>
  | (Omit<StatePart, "patch"> & { readonly patch: readonly (StatePart["patch"][number] & { readonly path: PathIn<TypesOf<A>["public"]> })[] })
  | (Omit<EndPart, "result"> & { readonly result: ClientTurnResult<A> });
