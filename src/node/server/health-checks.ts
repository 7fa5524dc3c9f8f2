import { type NodeRequest, refusal, type TextAnswer } from './node-request.ts';

/** `/healthz` of a component with these checks, all of which pass as long as the process answers. */
export function healthAnswer(
  { path, query }: Pick<NodeRequest, 'path' | 'query'>,
  checks: readonly string[],
): TextAnswer {
  const [, , name = '', ...rest] = path.split('/');
  if (rest.length > 0 || (name !== '' && !checks.includes(name))) return refusal(404, '404 page not found\n');
  if (name !== '' || !query.has('verbose')) return refusal(200, 'ok');
  return refusal(200, [...checks.map((check) => `[+]${check} ok\n`), 'healthz check passed\n'].join(''));
}
