/** What stands where content would be: nothing there yet, nothing found, or a request that failed. */
import type { RequestError } from "@throughline/client";
import type { ComponentChildren } from "preact";
import { lackedBy } from "../base/page-actions.ts";
import { texts } from "../base/page-texts.ts";
import { Icon } from "./icon.tsx";

interface EmptyStateProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

export const EmptyState = ({ title, text, children }: EmptyStateProps) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
);

/** The scope that a refused request needs, as the service names it. */
const scopeOf = ({ details }: RequestError): string | undefined => {
  const { scope } = details;
  return typeof scope === "string" ? scope : undefined;
};

/** Says that something is left out, once the key turns out to lack a scope. */
export function Left({ needs }: { readonly needs: string }) {
  return lackedBy({ needs: [needs] }) === undefined ? null : <span class="hint">{texts.failure.left(needs)}</span>;
}

export function Failure({ error }: { readonly error: RequestError }) {
  const scope = error.status === 403 ? scopeOf(error) : undefined;
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <bdi>{scope === undefined ? error.message : texts.failure.scope(scope)}</bdi>
        </p>
        {error.hint === undefined ? undefined : (
          <p class="hint">
            <bdi>{error.hint}</bdi>
          </p>
        )}
        <p class="hint">
          <code>{error.code}</code>
          {error.request_id === undefined ? undefined : (
            <>
              {" "}
              {texts.failure.request} <code>{error.request_id}</code>
            </>
          )}
        </p>
      </div>
    </div>
  );
}
