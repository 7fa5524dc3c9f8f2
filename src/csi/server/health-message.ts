import type { MessageOf } from '../../wire/protobuf/index.ts';
import type { HealthProblem } from '../kit/driver-definition.ts';
import { type volumeHealth, VolumeHealthErrorType } from '../protocol/csi-v1.ts';

export function healthMessage(volumeId: string, problems: readonly HealthProblem[]): MessageOf<typeof volumeHealth> {
  const healthStatuses = problems.map(({ status, ...words }) => ({ ...words, status: VolumeHealthErrorType[status] }));
  return { volumeId, healthStatuses };
}
