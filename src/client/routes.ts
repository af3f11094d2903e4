/** Where each operation is: the one thing of the protocol that a client needs when it runs. The type holds it against the operations. */
import type { OperationId, Operations } from "../protocol/operations.ts";

type Routes = { readonly [Id in OperationId]?: `${Operations[Id]["method"]} ${Operations[Id]["path"]}` };

/** Method and path of every operation. */
export const routes: Routes = {
  createCustomer: "POST /v1/customers",
  listCustomers: "GET /v1/customers",
  getCustomer: "GET /v1/customers/{customer_id}",
  updateCustomer: "PATCH /v1/customers/{customer_id}",
  postEvent: "POST /v1/sessions/{session_id}/events",
  getEvent: "GET /v1/sessions/{session_id}/events/{event}",
  withdrawEvents: "DELETE /v1/sessions/{session_id}/events",
  getState: "GET /v1/sessions/{session_id}/state",
  editState: "PATCH /v1/sessions/{session_id}/state",
  listTurns: "GET /v1/sessions/{session_id}/turns",
  getTurn: "GET /v1/sessions/{session_id}/turns/{turn_id}",
  startTurn: "POST /v1/sessions/{session_id}/turns",
  stopTurn: "POST /v1/sessions/{session_id}/turns/{turn_id}/stop",
  retryTurn: "POST /v1/sessions/{session_id}/turns/{turn_id}/retry",
  listPending: "GET /v1/sessions/{session_id}/pending",
  decideCall: "POST /v1/sessions/{session_id}/turns/{turn_id}/decisions",
  handOver: "POST /v1/sessions/{session_id}/handover",
  assignSession: "POST /v1/sessions/{session_id}/handover/assign",
  unassignSession: "POST /v1/sessions/{session_id}/handover/unassign",
  handBack: "POST /v1/sessions/{session_id}/handover/back",
  listHandovers: "GET /v1/handovers",
};
