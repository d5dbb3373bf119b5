// diagnostics_channel: channels that nobody listens to.
const channel = (name) => ({ name, hasSubscribers: false, publish() {}, subscribe() {}, unsubscribe: () => false });
Object.assign(exports, {
  channel,
  hasSubscribers: () => false,
  subscribe() {},
  unsubscribe: () => false,
  tracingChannel: channel,
});
