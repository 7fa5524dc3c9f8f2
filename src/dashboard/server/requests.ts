import type { Endpoint } from './endpoint.ts';

/** `/keelson/requests` and `/keelson/requests/ID`: as the API server answers them to this viewer. */
export const requests: Endpoint = ({ rest, query, viewer: { viewer }, signal }) => {
  const path = rest === '' ? '/keelson/requests' : `/keelson/requests/${encodeURIComponent(rest)}`;
  return viewer.client.request({ method: 'GET', path, query: Object.fromEntries(query), signal });
};
