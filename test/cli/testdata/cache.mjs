import { resource } from 'keelson';

const spec = (maximum) => ({
  type: 'object',
  required: ['size'],
  properties: { size: { type: 'integer', minimum: 1, maximum } },
});
export const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: spec(9),
  columns: { Size: (cache) => cache.spec.size },
});
export const kinds = [Cache, 5];
