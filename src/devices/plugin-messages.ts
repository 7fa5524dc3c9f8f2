import type { MessageOf } from '../wire/protobuf/index.ts';
import type * as protocol from './protocol/device-plugin-v1beta1.ts';

/** Messages of the device plugin API by the names of their tables. */
export interface PluginMessages {
  readonly registerRequest: MessageOf<typeof protocol.registerRequest>;
  readonly devicePluginOptions: MessageOf<typeof protocol.devicePluginOptions>;
  readonly device: MessageOf<typeof protocol.device>;
  readonly containerAllocateResponse: MessageOf<typeof protocol.containerAllocateResponse>;
}
