/** The field for the name of the operator at this browser. */
import { operator, setOperator } from "../base/operator-name.ts";
import { texts } from "../base/page-texts.ts";

export const OperatorField = ({ id }: { readonly id: string }) => (
  <label class="operator-name">
    <span>{texts.handover.operator}</span>
    <input
      id={id}
      type="text"
      autocomplete="off"
      maxLength={200}
      title={texts.handover.operatorHint}
      value={operator.value}
      onInput={(event) => setOperator(event.currentTarget.value)}
    />
  </label>
);
