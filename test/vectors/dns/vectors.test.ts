import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compare, type Verdict } from './compare.ts';

const verdicts = gunzipSync(readFileSync(join(import.meta.dirname, 'vectors.jsonl.gz')))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Verdict);

describe('DNS messages recorded from miekg/dns', () => {
  it('are 160, whole and damaged, and some are cut', () => {
    expect(verdicts.length).toBe(160);
    expect(verdicts.filter(({ error }) => error !== undefined).length).toBeGreaterThan(30);
    expect(verdicts.filter(({ cut }) => cut === true).length).toBeGreaterThan(3);
  });

  it('are read, written and cut by us in the same way', () => {
    const found = verdicts.flatMap((verdict) => compare(verdict) ?? []);
    expect(found.filter(({ explanation }) => explanation === undefined)).toEqual([]);
    expect(found.length).toBeLessThan(10); // differences that are explained
  });
});
