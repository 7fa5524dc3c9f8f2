import type { ApiServer } from '../../apiserver/index.ts';
import type { ApiObject } from '../../api/index.ts';

/** A collection of the API, and where its objects are in the server. */
export interface OwnKind {
  readonly group: string;
  readonly plural: string;
  /** Such as `/api/v1`. */
  readonly root: string;
}

/** An object that the server creates for itself. */
export interface OwnObject {
  readonly kind: OwnKind;
  /** As it is created when it is missing. */
  readonly object: {
    readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
  /** What to write in place of the stored object; undefined when that is good. Default: any stored object is good. */
  readonly amend?: (current: ApiObject) => Amendment | undefined;
}

export type Amendment =
  | { readonly type: 'update'; readonly object: object }
  | { readonly type: 'update-status'; readonly object: object }
  /** Deletes the object, which cannot be changed, and creates it again. */
  | { readonly type: 'replace' };

/** When this many writes were not enough, something else keeps undoing them. */
const MAX_WRITES = 5;

/** Creates the object, or changes it until it is good; returns whether anything was written. */
export async function repair(server: ApiServer, own: OwnObject): Promise<boolean> {
  for (let writes = 0; writes < MAX_WRITES; writes++) if (!(await repairOnce(server, own))) return writes > 0;
  return true;
}

async function repairOnce(server: ApiServer, { kind, object, amend }: OwnObject): Promise<boolean> {
  const { name, namespace = '' } = object.metadata;
  const collection = `${kind.root}/${namespace === '' ? '' : `namespaces/${namespace}/`}${kind.plural}`;
  const objects = server.objects.of(kind.group, kind.plural);
  const make = async (): Promise<boolean> => {
    try {
      return await server.self.ensure(collection, object);
    } catch (error) {
      if ((await objects.newest(namespace, name)) === undefined) throw error;
      return true; // another server was first, and has what only one can have, such as an address
    }
  };
  const current = await objects.newest(namespace, name);
  if (current === undefined) return make();
  const amendment = amend?.(current);
  switch (amendment?.type) {
    case undefined:
      return false;
    case 'update':
      await server.self.update(`${collection}/${name}`, amendment.object);
      return true;
    case 'update-status':
      await server.self.update(`${collection}/${name}/status`, amendment.object);
      return true;
    case 'replace':
      await server.self.delete(`${collection}/${name}`);
      return true;
  }
}
