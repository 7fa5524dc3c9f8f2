import { ApiError, isForbidden, messageOf } from '../cluster/api-error.ts';

/** Says why a part of the page cannot be shown. Where the viewer may not see it, that is no fault. */
export function Problem({ error, what }: { readonly error: unknown; readonly what?: string }) {
  const title = isForbidden(error) ? 'Not for you to see' : `Cannot show ${what ?? 'this'}`;
  const code = error instanceof ApiError && error.code > 0 ? ` (${error.code} ${error.reason})` : '';
  return (
    <div class={`problem ${isForbidden(error) ? 'forbidden' : ''}`} role="status">
      <strong>
        {title}
        {code}
      </strong>
      <p>{messageOf(error)}</p>
    </div>
  );
}
