import type { HoldfastError } from "@holdfast/sdk";

/**
 * Chinese messages for error codes whose meaning the code alone explains. All other codes, such as `invalid`, show the
 * server's own message, because it names the value that is wrong. The strings are in the Chinese file only, because the
 * messages of the server are English already.
 */
export const serverErrors: Partial<Record<HoldfastError["code"], string>> = {
  unreachable: "服务器没有响应。请检查服务器是否在运行、网络是否可用，然后重试。",
  notReady: "服务器正在启动，请稍后重试。",
  draining: "服务器正在停止，请稍后重试。",
  internal: "服务器内部错误，详情见服务器日志。",
  timeout: "请求未能及时到达服务器，请重试。",
  rateLimited: "请求过于频繁，请稍后重试。",
  tooManyStreams: "打开的页面过多，请关闭一些后重试。",
  tooManyConnections: "服务器的连接过多，请稍后重试。",
  unknownSession: "此会话不存在，或此浏览器无权访问。",
  deleted: "此会话已删除。",
  unknownPrompt: "此提示词不存在。",
  unknownRun: "此运行不存在。",
  unknownAsk: "此请求不存在。",
  askClosed: "此请求已被回答或撤回，只有第一个回答有效。",
  notWaiting: "此提示词已不在队列中。",
  takenIn: "此提示词已加入运行，要停止它，请取消该运行。",
  staleRevision: "内容已在别处更改，请重新加载后再试。",
  held: "会话已暂停，请先恢复。",
};
