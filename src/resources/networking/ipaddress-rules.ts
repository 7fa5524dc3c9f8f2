import { required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { IPAddress } from '../../api/types/networking/v1.d.ts';
import type { Whole } from '../kind.ts';

export function checkIpAddress({ spec }: Whole<IPAddress>): FieldError[] {
  return spec.parentRef === undefined ? [required('spec.parentRef')] : [];
}
