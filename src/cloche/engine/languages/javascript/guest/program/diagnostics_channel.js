// diagnostics_channel: channels without subscribers.
const channel = (name) => ({ name, hasSubscribers: false, publish() {}, subscribe() {}, unsubscribe: () => false });
Object.assign(exports, {
  channel,
  hasSubscribers: () => false,
  subscribe() {},
  unsubscribe: () => false,
  tracingChannel: channel,
});
