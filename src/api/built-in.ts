import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion } from '../base/index.ts';
import { packedTable } from './generated/table.ts';
import type { PackedTable } from './language/pack.ts';
import { TypeTable } from './schema/type-table.ts';

/** Tables never change, so that all servers and rules of a process share one for each version; it is unpacked when it is first asked for. */
const unpacked = new Map<KubernetesVersion, TypeTable>();

/** The types and resources of a version of Kubernetes, from the definition files. */
export function builtInTypes(version: KubernetesVersion = DEFAULT_KUBERNETES_VERSION): TypeTable {
  let table = unpacked.get(version);
  if (table === undefined) {
    table = new TypeTable(JSON.parse(packedTable) as PackedTable, version);
    unpacked.set(version, table);
  }
  return table;
}
