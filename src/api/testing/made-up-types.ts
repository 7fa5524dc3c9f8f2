import { packedTable } from '../generated/table.ts';
import { pack, type PackedTable } from '../language/pack.ts';
import { parseDefinitions } from '../language/parse.ts';
import type { Struct } from '../schema/schema.ts';
import { TypeTable } from '../schema/type-table.ts';

/** Types of the test's own, which no server's table has: definition files as text, read into a table beside the built-in ones. */
export function madeUpTypes(...files: readonly string[]): (name: string) => Struct {
  const builtIn = JSON.parse(packedTable) as PackedTable;
  const own = pack(files.map((text, index) => parseDefinitions(text, `file ${index}`)));
  const table = new TypeTable({ packages: [...builtIn.packages, ...own.packages] });
  return (name) => table.struct(name);
}
