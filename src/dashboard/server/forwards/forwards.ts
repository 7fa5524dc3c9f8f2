import { badRequest, StatusError } from '../../../api/client.ts';
import type { PodForward, PodForwardList, PodForwardWish } from '../../protocol.ts';
import type { Endpoint } from '../endpoint.ts';
import { readJsonBody } from '../read-body.ts';

/** `/keelson/forwards`: ports of this machine that lead to pods. */
export const forwards: Endpoint = async ({
  method,
  rest,
  request,
  viewer,
  settings,
  signal,
}): Promise<PodForwardList | PodForward> => {
  const list = (): PodForwardList => ({ items: viewer.forwards.list() });
  if (method === 'GET') return list();
  if (settings.key === undefined) {
    const message = 'forbidden: this dashboard does not run on your machine, so its ports are not yours';
    throw new StatusError({ code: 403, reason: 'Forbidden', message });
  }
  if (method === 'POST') return viewer.forwards.open(readWish(await readJsonBody(request)), signal);
  await viewer.forwards.close(rest);
  return list();
};

function readWish(value: unknown): PodForwardWish {
  const { namespace, pod, port, localPort } = (value ?? {}) as Partial<Record<keyof PodForwardWish, unknown>>;
  if (typeof namespace !== 'string' || typeof pod !== 'string' || namespace === '' || pod === '')
    throw badRequest('namespace and pod must be names');
  if (!isPort(port)) throw badRequest('port must be a number from 1 to 65535');
  if (localPort === undefined) return { namespace, pod, port };
  if (!isPort(localPort)) throw badRequest('localPort must be a number from 1 to 65535');
  return { namespace, pod, port, localPort };
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}
