import type { Step } from '../cluster/open-api.ts';

/**
 * The path of the object to which a line of YAML belongs, from the indents of the lines above: enough for completion while the text is
 * unfinished and no parser would take it. Flow style and anchors are not followed.
 *
 * Example: in `spec:\n  containers:\n  - name: a\n    im`, line 3 belongs to `['spec', 'containers', 0]`.
 */
export function pathAtLine(lines: readonly string[], index: number): Step[] {
  const path: Step[] = [];
  const own = lines[index] ?? '';
  let indent = contentIndent(own);
  if (/^\s*-\s/.test(own) || /^\s*-$/.test(own)) {
    path.unshift(elementNumber(lines, index));
    indent = dashIndent(own);
    // a list may stand as deep as its key
    const key = keyAbove(lines, index, indent + 1);
    if (key === undefined) return path;
    path.unshift(key.name);
    return [...pathOfKey(lines, key), ...path];
  }
  const parent = parentOf(lines, index, indent);
  return parent === undefined ? path : [...parent, ...path];
}

interface Key {
  readonly name: string;
  readonly index: number;
}

/** The path of the object that has the line's members: the nearest line above that is less deep. */
function parentOf(lines: readonly string[], index: number, indent: number): Step[] | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (isBlank(line)) continue;
    const isElement = /^\s*-(\s|$)/.test(line);
    if (isElement && contentIndent(line) === indent && dashIndent(line) < indent) {
      const key = keyAbove(lines, at, dashIndent(line) + 1);
      return key === undefined
        ? [elementNumber(lines, at)]
        : [...pathOfKey(lines, key), key.name, elementNumber(lines, at)];
    }
    if (contentIndent(line) < indent) {
      const name = keyIn(line);
      return name === undefined ? undefined : [...pathOfKey(lines, { name, index: at }), name];
    }
  }
  return [];
}

function pathOfKey(lines: readonly string[], { index }: Key): Step[] {
  const line = lines[index] ?? '';
  if (/^\s*-\s/.test(line)) {
    const key = keyAbove(lines, index, dashIndent(line) + 1);
    const number = elementNumber(lines, index);
    return key === undefined ? [number] : [...pathOfKey(lines, key), key.name, number];
  }
  return parentOf(lines, index, contentIndent(line)) ?? [];
}

/** The nearest line above with a key less deep than `indent` that has no value on its line. */
function keyAbove(lines: readonly string[], index: number, indent: number): Key | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (isBlank(line) || contentIndent(line) >= indent) continue;
    const name = keyIn(line);
    if (name !== undefined && /:\s*$/.test(line)) return { name, index: at };
  }
  return undefined;
}

function elementNumber(lines: readonly string[], index: number): number {
  const depth = dashIndent(lines[index] ?? '');
  let count = 0;
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (isBlank(line)) continue;
    const isElement = /^\s*-(\s|$)/.test(line);
    const start = isElement ? dashIndent(line) : contentIndent(line);
    if (start < depth || (start === depth && !isElement)) break;
    if (isElement && start === depth) count++;
  }
  return count;
}

function isBlank(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

/** Where the first key of a line begins, behind dashes. */
function contentIndent(line: string): number {
  return /^[\s-]*?(?=[^\s-]|$)/.exec(line.replace(/^(\s*(?:-\s+)*).*$/, '$1x'))?.[0].length ?? 0;
}

function dashIndent(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

function keyIn(line: string): string | undefined {
  return /^\s*(?:-\s+)*["']?([^\s"':#][^"':]*?)["']?:(\s|$)/.exec(line)?.[1];
}
