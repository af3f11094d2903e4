import { exerciseCatalog } from "./catalog.ts";
import { startRequests, type StartRequests } from "./request.ts";

let requests: StartRequests | undefined;

/** Whether a message asks for an exercise, one of the catalog or any. Read from the catalog with the first message. */
export const asksForExercise = (message: string): boolean => (requests ??= startRequests(exerciseCatalog)).asking(message) !== undefined;
