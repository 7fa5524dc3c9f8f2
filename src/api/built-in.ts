import { packedTable } from './generated/table.ts';
import type { PackedTable } from './language/pack.ts';
import { TypeTable } from './schema/type-table.ts';

/** The types and resources of Kubernetes 1.36, from the definition files. */
export function builtInTypes(): TypeTable {
  return new TypeTable(JSON.parse(packedTable) as PackedTable);
}
