import {
  type ApiObject,
  applyConfig,
  canonicalObject,
  type ObjectMeta,
  ownAfterWrite,
  type PlainObject,
  withConversions,
  type Writer,
} from '../../api/index.ts';
import type { ServedKind } from './served-kind.ts';

type ManagedFields = ObjectMeta['managedFields'];

export interface OwnedWrite {
  readonly served: ServedKind;
  readonly writer: Writer;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** An API of the kit has one version, so managed fields are never converted. */
const NO_CONVERSION = { convert: (): undefined => undefined };

/** `metadata.managedFields` after a create, an update or a patch. */
export async function ownedAfter(
  object: ApiObject,
  live: ApiObject | undefined,
  { served, writer, subresource }: OwnedWrite,
): Promise<ManagedFields> {
  const kind = ownedKind(served, subresource);
  return withConversions(ownAfterWrite(live ?? blank(served), object, { kind, writer }), NO_CONVERSION);
}

/** The object, or a new one, with an applied configuration merged in; not decoded yet. */
export async function withApplied(
  config: PlainObject,
  live: ApiObject | undefined,
  { served, writer, subresource, force }: OwnedWrite & { readonly force: boolean },
): Promise<{ readonly object: PlainObject; readonly managedFields: ManagedFields }> {
  const empty = blank(served);
  const options = { kind: ownedKind(served, subresource), writer, force, blank: empty };
  return withConversions(applyConfig(live ?? empty, config, options), NO_CONVERSION);
}

function ownedKind({ group, kind, apiVersion, type }: ServedKind, subresource: string) {
  return { kind: { group, version: apiVersion.slice(group.length + 1), kind }, type, subresource };
}

function blank({ kind, apiVersion, type }: ServedKind): ApiObject {
  return canonicalObject({ kind, apiVersion, metadata: {} }, type);
}
