import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { typeFolders } from '../go-modules.ts';

/** What `facts.go` prints. */
interface Facts {
  readonly types: Readonly<Record<string, readonly GoField[]>>;
}

interface GoField {
  readonly name: string;
  readonly number?: string;
  readonly type: string;
  /** `omitempty` or `omitzero`. */
  readonly omit?: string;
  readonly embedded?: boolean;
}

/** The same as `ourWire`, from the Go types of a release. Types that embed one of another package are left out. */
export function theirWire(release: string): Record<string, string> {
  const folders = typeFolders(release).map(([folder, prefix]) => `${folder}=${prefix}`);
  const program = join(import.meta.dirname, 'wire', 'facts.go');
  const run = spawnSync('go', ['run', program, ...folders], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(`Cannot read the Go types of ${release}: ${run.stderr}`);
  const { types } = JSON.parse(run.stdout) as Facts;
  const names = Object.keys(types).filter((name) => !hasForeignParts(name, types));
  return Object.fromEntries(names.map((name) => [name, lines(name, types).sort().join(', ')]));
}

function lines(name: string, types: Facts['types'], inside: readonly string[] = []): string[] {
  return (types[name] ?? []).flatMap((field) => {
    const numbers = [...inside, ...(field.number === undefined ? [] : [field.number])];
    if (isTypeMeta(field)) return [];
    if (isInline(field)) return lines(beside(name, field), types, numbers);
    if (field.name === '') return [];
    const isAlways = field.omit === undefined && PLAIN.test(field.type);
    return [`${field.name} ${numbers.join('.') || '0'}${isAlways ? ' always' : ''}`];
  });
}

function isTypeMeta({ embedded, type }: GoField): boolean {
  return embedded === true && /(?:^|\.)TypeMeta$/.test(type);
}

function isInline({ embedded, name }: GoField): boolean {
  return embedded === true && name === '';
}

/** The type of an embedded field, in the package of the type that embeds it. */
function beside(name: string, { type }: GoField): string {
  return `${name.slice(0, name.lastIndexOf('.'))}.${type.replace(/^\*/, '')}`;
}

function hasForeignParts(name: string, types: Facts['types']): boolean {
  const inline = (types[name] ?? []).filter((field) => isInline(field) && !isTypeMeta(field));
  return inline.some((field) => types[beside(name, field)] === undefined);
}

/** Types without a name of their own, for which the tag alone tells whether an empty value is written. */
const PLAIN = /^(?:\*|\[\]|map\[string\])*(?:string|int32|int64|bool|byte)$/;
