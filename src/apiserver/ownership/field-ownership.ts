import {
  type ApiObject,
  type Applied,
  applyConfig,
  type ObjectMeta,
  ownAfterWrite,
  type PlainObject,
  timestamp,
  withConversions,
} from '../../api/index.ts';
import type { Resource, WriteContext } from '../resource.ts';
import { blankObject, type FindResource, OwnedKinds } from './owned-kinds.ts';

export type ManagedFields = ObjectMeta['managedFields'];

/** A write, with what ownership needs to know about it. */
export interface OwnedWrite {
  readonly resource: Resource;
  readonly context: WriteContext;
}

/**
 * Maintains managedFields: which manager set which fields of an object. Results are promises only when objects must be converted
 * asynchronously.
 */
export interface FieldOwnership {
  /** `metadata.managedFields` after a create (`live` is undefined), an update or a patch. */
  afterWrite(object: ApiObject, live: ApiObject | undefined, write: OwnedWrite): ManagedFields | Promise<ManagedFields>;
  /** The object and its managedFields after applying a configuration; the result must still be decoded. */
  apply(
    config: PlainObject,
    live: ApiObject | undefined,
    write: OwnedWrite & { readonly force: boolean },
  ): Applied | Promise<Applied>;
}

/** Determines ownership from the type tables' lists, maps and structs. */
export class TableOwnership implements FieldOwnership {
  readonly #kinds: OwnedKinds;

  constructor(find: FindResource) {
    this.#kinds = new OwnedKinds(find);
  }

  afterWrite(
    object: ApiObject,
    live: ApiObject | undefined,
    { resource, context }: OwnedWrite,
  ): ManagedFields | Promise<ManagedFields> {
    const kind = this.#kinds.of(resource, context.subresource);
    const writer = { manager: context.manager, time: timestamp(context.now) };
    const written = resource.storage.normalize?.(object) ?? object; // the writer also owns fields that the conversion adds
    const work = ownAfterWrite(live ?? blankObject(resource), written, { kind, writer });
    return withConversions(work, { convert: this.#kinds.converter(resource, context), pause: context.pause });
  }

  apply(
    config: PlainObject,
    live: ApiObject | undefined,
    write: OwnedWrite & { readonly force: boolean },
  ): Applied | Promise<Applied> {
    const { resource, context, force } = write;
    const kind = this.#kinds.of(resource, context.subresource);
    const blank = blankObject(resource);
    const writer = { manager: context.manager, time: timestamp(context.now) };
    const work = applyConfig(live ?? blank, config, { kind, writer, force, blank });
    return withConversions(work, { convert: this.#kinds.converter(resource, context), pause: context.pause });
  }
}
