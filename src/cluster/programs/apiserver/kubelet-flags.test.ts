import { expect, test } from 'vitest';
import { Flags } from '../../../cli/flags.ts';
import { kubeletFlags, kubeletSettings } from './kubelet-flags.ts';

test('addresses of nodes are preferred as the flag lists them, and files have to fit', () => {
  const read = (...args: string[]): unknown => kubeletSettings(new Flags(args, kubeletFlags));
  expect(read()).toEqual({});
  expect(read('--kubelet-preferred-address-types=InternalIP,Hostname')).toEqual({
    addressTypes: ['InternalIP', 'Hostname'],
  });
  const itself = import.meta.filename;
  expect(() => read(`--kubelet-client-key=${itself}`)).toThrow(
    '--kubelet-client-certificate and --kubelet-client-key go together',
  );
  expect(() => read(`--kubelet-client-key=${itself}`, `--kubelet-client-certificate=${itself}`)).toThrow(
    'is no PEM that can be read',
  );
  expect(() => read('--kubelet-certificate-authority=/none')).toThrow('--kubelet-certificate-authority: cannot read');
});
