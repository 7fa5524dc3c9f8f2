import { type Answer, sameAnswer, unordered } from './answer.ts';
import type { Case } from './case.ts';
import type { PlayedServer } from './server.ts';

/** Requests to a server at a time. */
const LANES = 8;

/** The answers to cases, in their order. */
export async function playAll(cases: readonly Case[], server: Pick<PlayedServer, 'play'>): Promise<Answer[]> {
  const answers: Answer[] = [];
  const waiting = cases.entries();
  const lane = async (): Promise<void> => {
    for (const [index, played] of waiting) answers[index] = await server.play(played);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return answers;
}

const MORE_ANSWERS = 4;

/** The different answers of a server to each case: what Go finds in maps is in another order each time. */
export async function playForAll(cases: readonly Case[], server: Pick<PlayedServer, 'play'>): Promise<Answer[][]> {
  const answers: Answer[][] = [];
  const waiting = cases.entries();
  const lane = async (): Promise<void> => {
    for (const [index, played] of waiting) {
      const first = await server.play(played);
      const seen = [first];
      for (let more = 0; more < MORE_ANSWERS && mayVary(first); more += 1) {
        const next = await server.play(played);
        if (!seen.some((answer) => sameAnswer(answer, next))) seen.push(next);
      }
      answers[index] = seen;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return answers;
}

function mayVary({ code, body, warnings }: Answer): boolean {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly unknown[] };
  return warnings.length > 1 || causes.length > 1 || (code >= 400 && causes.length === 0);
}

const TRIES = 60;

/** Whether our answer is one that the real server gives: it orders what it finds in maps differently each time. */
export async function isAmong(ours: Answer, first: Answer, again: () => Promise<Answer>): Promise<boolean> {
  const seen = [first];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const next = await again();
    if (sameAnswer(next, ours)) return true;
    if (!seen.some((answer) => sameAnswer(answer, next))) seen.push(next);
  }
  return seen.length > 1 && sameAnswer(unordered(first), unordered(ours));
}
