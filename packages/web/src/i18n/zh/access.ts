import type { Text } from "../en.ts";

export const access: Pick<Text, "notifications"> = {
  notifications: {
    push: "推送消息",
    pushText: "关闭页面后，列表中的设备仍会收到通知。消息不含会话内容，只告诉你有事待处理。",
    turnOn: "在此浏览器上开启",
    turnOff: "关闭",
    test: "发送测试消息",
    tested: "测试消息已发送",
    testFailed: ({ problem }) => `无法发送测试消息：${problem}`,
    none: "没有设备接收推送消息。",
    problems: {
      insecure:
        "浏览器只允许 https 页面接收推送消息。请为服务器配置 https 地址，并用 --public-url 启动服务器。",
      unsupported: "此浏览器无法接收推送消息。在 iPhone 或 iPad 上，请先将页面添加到主屏幕。",
    },
    quietHours: "免打扰时段",
    quietText: "在这段时间内不通知我",
    from: "从",
    to: "到",
    muted: "已静音的会话",
    unmute: "取消静音",
    mute: "静音通知",
    mutedToast: "此会话不再向你发送通知",
  },
};
