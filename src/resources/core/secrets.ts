import { encodeBase64 } from '../../api/index.ts';
import type { Secret } from '../../api/types/core/v1.d.ts';
import { secretColumns } from '../columns/core-columns.ts';
import { defineKind } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { checkSecret, checkSecretUpdate } from './secret-rules.ts';

export const secrets = defineKind<Secret>({
  group: '',
  plural: 'secrets',
  columns: secretColumns,

  /** `stringData` is only a way to write: its values go into `data`, and it is never read back. */
  applyDefaults(secret) {
    const { stringData } = secret;
    if (stringData === undefined) return;
    const encoded = Object.entries(stringData).map(([key, value]) => [key, encodeBase64(Buffer.from(value))]);
    if (encoded.length > 0)
      secret.data = withEntries(secret.data, Object.fromEntries(encoded) as Record<string, string>);
    delete secret.stringData;
  },

  prepareForUpdate(secret, old) {
    if ((secret.type ?? '') === '') secret.type = old.type;
  },

  validate: checkSecret,
  validateUpdate: checkSecretUpdate,
  selectable: { type: ({ type }) => type ?? '' },
});
