import type { Buffer } from 'node:buffer';
import type { Clock } from '../../base/index.ts';
import { ClosedStreams } from './closed-streams.ts';
import { informationFrame, pingAck, resetFrame, settingsAck, settingsFrame, windowFrame } from './control-frames.ts';
import { FrameBudget } from './frame-budget.ts';
import type { FrameHead, FrameSink } from './frame-reader.ts';
import { dependencyIn, HeaderFrames, type ReadHeaders } from './header-frames.ts';
import { CODE, ConnectionError, DEFAULT_WINDOW_BYTES, FLAG, FRAME, MAX_WINDOW_BYTES, SETTING } from './protocol.ts';
import { CONNECTION_WINDOW_BYTES, IncomingData } from './incoming-data.ts';
import type { HeaderLimits, RequestHeaders } from './request-headers.ts';
import { SendWindows } from './send-windows.ts';
import type { Sender } from './sender.ts';
import { ServerStream, STREAM_WINDOW_BYTES, type StreamOwner } from './server-stream.ts';
import { readSettings } from './settings.ts';

/** The window of a stream: nearly all bodies fit into one frame. */
export const MAX_INCOMING_FRAME_BYTES = STREAM_WINDOW_BYTES;

/** The frames that belong to a request, such as window updates and a priority, are covered by it. */
const FRAMES_PER_REQUEST = 4;
/** Go's client opens both windows again after each 4 KiB that it has read. */
const FRAMES_PER_DATA = 2;
const REFRESH_BYTES = 4096;

export interface SessionLimits extends HeaderLimits {
  /** Concurrent requests. */
  readonly maxStreams: number;
  /** How long a client may continue to send after its response. */
  readonly lingerMs: number;
}

export interface SessionEvents {
  /** A request has arrived. */
  arrived(stream: ServerStream): void;
  /** A request was refused or invalid. */
  refused(): void;
  /** The client opens no more streams. */
  leaving(): void;
}

export interface SessionOptions {
  readonly clock: Clock;
  readonly limits: SessionLimits;
  readonly sender: Sender;
  readonly events: SessionEvents;
}

/** The HTTP/2 state of one connection: its streams, windows and settings. Protocol violations are thrown as ConnectionError. */
export class Session implements FrameSink, StreamOwner {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #sender: Sender;
  readonly #events: SessionEvents;
  readonly #budget: FrameBudget;
  readonly #frames: HeaderFrames;
  readonly #data: IncomingData;
  readonly #windows: SendWindows;
  readonly #streams = new Map<number, ServerStream>();
  readonly #closed = new ClosedStreams();
  /**
   * Bytes of frames that no window limits, mostly headers. The reader of the connection sets it to 0 after other work had a
   * turn.
   */
  unboundBytes = 0;
  /** The last stream that the client opened. */
  #last = 0;
  #hasSettings = false;
  #isAcknowledged = false;
  /** Streams that were opened before the client acknowledged the server's settings. */
  #early = 0;
  #isDraining = false;

  constructor({ clock, limits, sender, events }: SessionOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#sender = sender;
    this.#events = events;
    this.#budget = new FrameBudget(clock);
    this.#frames = new HeaderFrames(limits);
    this.#data = new IncomingData(sender, this.#budget);
    this.#windows = new SendWindows(sender);
    sender.control(
      settingsFrame([
        [SETTING.maxConcurrentStreams, limits.maxStreams],
        [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
        [SETTING.maxFrameSize, MAX_INCOMING_FRAME_BYTES],
        [SETTING.maxHeaderListSize, limits.maxHeaderBytes],
      ]),
    );
    sender.control(windowFrame(0, CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES));
  }

  get lastStream(): number {
    return this.#last;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Accepts no more requests: new ones are ignored, which GOAWAY tells the client. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Ends every open stream. */
  closeStreams(): void {
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.close();
  }

  // Called by its streams and its sender.

  ready(stream: ServerStream): void {
    this.#sender.list(stream);
  }

  inform(stream: ServerStream, code: number): void {
    this.#sender.control(informationFrame(stream.id, code));
  }

  resetStream(stream: ServerStream, code: number): void {
    this.#closed.add(stream.id, true);
    this.#sender.control(resetFrame(stream.id, code));
  }

  openWindow(stream: ServerStream, bytes: number): void {
    this.#sender.control(windowFrame(stream.id, bytes));
  }

  linger(stream: ServerStream): Disposable {
    return this.#clock.timer(this.#limits.lingerMs, () => stream.reset(CODE.noError));
  }

  progress(bytes: number): void {
    this.#budget.earn(FRAMES_PER_DATA * Math.max(1, Math.ceil(bytes / REFRESH_BYTES)));
  }

  streamOver(stream: ServerStream): void {
    if (!this.#streams.delete(stream.id)) return;
    if (stream.isComplete) this.#closed.add(stream.id, false);
    stream.close();
  }

  // Frames.

  begin(head: FrameHead): void {
    if (!this.#hasSettings && (head.type !== FRAME.settings || (head.flags & FLAG.ack) !== 0)) {
      throw breach('The first frame is not SETTINGS');
    }
    this.#hasSettings = true;
    const { underWay } = this.#frames;
    if ((head.type === FRAME.continuation) !== (underWay !== undefined) || (underWay ?? head.stream) !== head.stream) {
      throw breach('Headers are not followed by the rest of them');
    }
    if (head.type === FRAME.data) this.#data.begin(head, this.#receiverOf(head.stream));
  }

  payload(head: FrameHead, bytes: Buffer, start: number): void {
    const { type, stream } = head;
    this.unboundBytes += head.length;
    const isOfConnection = type === FRAME.settings || type === FRAME.ping || type === FRAME.goaway;
    if (type <= FRAME.continuation && type !== FRAME.windowUpdate && isOfConnection !== (stream === 0)) {
      throw breach(`A frame of type ${type} is for stream ${stream}`);
    }
    switch (type) {
      case FRAME.headers:
        this.#headers(head, bytes.subarray(start, start + head.length));
        break;
      case FRAME.continuation: {
        const read = this.#frames.continue(head, bytes.subarray(start, start + head.length));
        if (read !== undefined) this.#take(read);
        break;
      }
      case FRAME.windowUpdate:
        this.#windowUpdate(stream, bytes.readUInt32BE(start) & MAX_WINDOW_BYTES);
        break;
      case FRAME.resetStream:
        this.#reset(stream);
        break;
      case FRAME.settings:
        this.#settings(head, bytes.subarray(start, start + head.length));
        break;
      case FRAME.ping:
        this.#budget.spend();
        if ((head.flags & FLAG.ack) === 0) this.#sender.control(pingAck(bytes.subarray(start, start + head.length)));
        break;
      case FRAME.goaway:
        this.#budget.spend();
        this.#events.leaving();
        break;
      case FRAME.priority:
        this.#budget.spend();
        if ((bytes.readUInt32BE(start) & MAX_WINDOW_BYTES) === stream) this.#refuseDependency(stream);
        break;
      case FRAME.pushPromise:
        throw breach('A client cannot promise');
      default:
        this.#budget.spend(); // a frame of an extension
    }
  }

  data(_head: FrameHead, content: Buffer): void {
    this.#data.take(content);
  }

  dataEnds(head: FrameHead): void {
    this.#data.end(head);
  }

  /** The stream that receives data; undefined when the data comes too late and is ignored. */
  #receiverOf(id: number): ServerStream | undefined {
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      if (id === 0 || id > this.#last) throw breach(`There is no stream ${id}`);
      this.#refuseLate(id);
    } else if (stream.destroyed) this.#budget.spend();
    else if (stream.isInputOver) stream.reset(CODE.streamClosed);
    else return stream;
    return undefined;
  }

  /** Handles a frame for an ended stream. One that the server has ended may have been in flight. */
  #refuseLate(id: number): void {
    this.#budget.spend();
    if (this.#closed.find(id) !== 'reset by us') this.#sender.control(resetFrame(id, CODE.streamClosed));
  }

  #headers(head: FrameHead, payload: Buffer): void {
    if (head.stream % 2 === 0) throw breach(`A client cannot open stream ${head.stream}`);
    const read = this.#frames.begin(head, payload);
    if (read !== undefined) this.#take(read);
    if (dependencyIn(head, payload) === head.stream) this.#refuseDependency(head.stream);
  }

  #take({ stream: id, headers, isEndOfStream }: ReadHeaders): void {
    const stream = this.#streams.get(id);
    if (id > this.#last) {
      this.#last = id;
      this.#open(id, headers, isEndOfStream);
    } else if (stream !== undefined) this.#trailers(stream, headers, isEndOfStream);
    else if (this.#closed.find(id) === 'reset by us') this.#budget.spend();
    else if (this.#closed.find(id) === 'ended') throw new ConnectionError(CODE.streamClosed, `Stream ${id} is closed`);
    else throw breach(`Stream ${id} comes after ${this.#last}`);
  }

  #open(id: number, headers: RequestHeaders, isWhole: boolean): void {
    if (this.#isDraining) {
      this.#closed.add(id, true);
      this.#budget.spend();
      return;
    }
    if (!this.#isAcknowledged && ++this.#early > this.#limits.maxStreams) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'Too many streams before the settings are known');
    }
    const stream = new ServerStream(id, { headers, isWhole, sendWindow: this.#windows.initial }, this);
    const refusal = this.#refusalOf(headers);
    if (refusal !== undefined) {
      this.resetStream(stream, refusal);
      this.#events.refused();
      return;
    }
    this.#budget.earn(FRAMES_PER_REQUEST);
    this.#streams.set(id, stream);
    if (isWhole && headers.contentLength !== undefined) stream.inputEnds();
    this.#events.arrived(stream);
  }

  /** The error code for invalid headers. Headers that are too large get a response from the server instead. */
  #refusalOf(headers: RequestHeaders): number | undefined {
    if (this.#streams.size >= this.#limits.maxStreams) return CODE.refusedStream;
    if (headers.isTooMany) return CODE.enhanceYourCalm;
    return headers.isTooLarge || headers.isRequest ? undefined : CODE.protocolError;
  }

  #trailers(stream: ServerStream, headers: RequestHeaders, isEndOfStream: boolean): void {
    if (stream.destroyed) return;
    if (stream.isInputOver) stream.reset(CODE.streamClosed);
    else if (!isEndOfStream || !headers.isTrailers) stream.reset(CODE.protocolError);
    else stream.inputEnds();
  }

  #reset(id: number): void {
    if (id > this.#last) throw breach(`There is no stream ${id}`);
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.destroyed) {
      this.#budget.spend();
      return;
    }
    this.#closed.add(id, false);
    stream.markReset();
  }

  /** Rejects a stream that depends on itself; priorities are ignored otherwise. */
  #refuseDependency(id: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) this.#sender.control(resetFrame(id, CODE.protocolError));
    else stream.reset(CODE.protocolError);
  }

  #windowUpdate(id: number, bytes: number): void {
    this.#budget.spend();
    if (id > this.#last) throw breach(`There is no stream ${id}`);
    const stream = this.#streams.get(id);
    if (id === 0) this.#windows.openAll(bytes);
    else if (stream !== undefined && !stream.destroyed) this.#windows.open(stream, bytes);
  }

  #settings({ flags, length }: FrameHead, payload: Buffer): void {
    if ((flags & FLAG.ack) !== 0) {
      if (length > 0) throw new ConnectionError(CODE.frameSizeError, 'An acknowledgement has nothing to say');
      this.#isAcknowledged = true;
      return;
    }
    this.#budget.spend();
    const { headerTableBytes, initialWindowBytes, maxFrameBytes } = readSettings(payload);
    if (headerTableBytes !== undefined) this.#sender.encoder.limitTable(headerTableBytes);
    if (maxFrameBytes !== undefined) this.#sender.maxFrameBytes = Math.min(maxFrameBytes, MAX_INCOMING_FRAME_BYTES);
    if (initialWindowBytes !== undefined) this.#windows.begin(initialWindowBytes, this.#streams.values());
    this.#sender.control(settingsAck());
  }
}

function breach(message: string): ConnectionError {
  return new ConnectionError(CODE.protocolError, message);
}
