/** `k8s` and a zero byte: the start of every protobuf body of Kubernetes. */
export const ENVELOPE_MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];
