import type { Text } from "../en.ts";

/** How the page looks, and what runs work with. */
export const settings: Pick<
  Text,
  "settings" | "providers" | "workspace" | "mcp" | "config" | "maintenance"
> = {
  settings: {
    title: "设置",
    sections: {
      look: "外观",
      providers: "提供商",
      mcp: "MCP 服务器",
      config: "配置",
      maintenance: "维护",
    },
    theme: "主题",
    themes: { system: "跟随系统", light: "浅色", dark: "深色" },
    language: "语言",
    languages: { en: "English", zh: "中文" },
    notifications: "通知",
    notify: "我看别处时通知我待答的问题",
    notifyDenied: "浏览器不允许此页面发送通知。",
    account: "此浏览器",
    accountText: ({ name, role }) => `以 ${name} 登录，角色为 ${role}。`,
  },
  providers: {
    demo: "没有连接模型：由演示智能体应答。",
    usual: ({ model }) => `未指定模型的运行使用 ${model}。`,
    status: { connected: "已连接", disconnected: "未连接" },
    sources: { environment: "来自环境变量", file: "由 Holdfast 保存", config: "来自配置" },
    name: "名称",
    key: "密钥",
    keyHint: "密钥保存在服务器机器上只有其所有者可读的文件中，之后不再显示。",
    address: "地址",
    addressOptional: "地址（若非常用地址）",
    model: "模型",
    modelOptional: "默认模型（可不填）",
    connect: "连接",
    reconnect: "更改",
    connectOther: ({ isFirst }) => (isFirst ? "连接提供商" : "连接其他提供商"),
    connectTitle: ({ name }) => (name === "" ? "连接提供商" : `连接 ${name}`),
    disconnect: "断开",
    test: "测试",
    works: ({ name, models }) =>
      models === 0 ? `${name} 可用` : `${name} 可用，有 ${models} 个模型`,
    fails: ({ name, problem }) => `${name} 不可用：${problem ?? "没有给出原因"}`,
  },
  workspace: {
    problem: "配置的最近更改未生效",
    mcpFailed: ({ names }) =>
      names.length === 1 ? `MCP 服务器 ${names[0]} 失败` : `${names.length} 个 MCP 服务器失败`,
    mcpLate: ({ names }) =>
      names.length === 1
        ? `MCP 服务器 ${names[0]} 正在启动`
        : `${names.length} 个 MCP 服务器正在启动`,
  },
  mcp: {
    none: "此目录没有使用 MCP 服务器。项目配置中的服务器在被信任后才生效。",
    status: {
      connecting: "正在启动",
      connected: "已连接",
      reconnecting: "正在重连",
      failed: "失败",
    },
    restart: "重启",
    server: "服务器",
    tools: "工具",
    stderr: "最近的输出",
  },
  config: {
    scope: "哪个配置",
    scopes: { project: "目录的", user: "你自己的" },
    text: "配置文本",
    missing: "尚不存在；保存时创建",
    schema: "模式",
    line: ({ line, column }) => (column === null ? `第 ${line} 行` : `第 ${line} 行 ${column} 列`),
    trusted: "此项目的配置可以在你的机器上做这些：",
    untrusted: "此项目的配置会在你的机器上做这些。在你信任之前不生效：",
    trust: "信任",
    distrust: "不再信任",
  },
  maintenance: {
    what: "更改从下一次运行起生效。正在进行的运行保持原样，直到结束。",
    nothingOpen: "没有加载目录；下一次运行会加载。",
    generation: ({ number, runs }) =>
      runs === 0 ? `第 ${number} 代` : `第 ${number} 代，${runs} 个运行在用`,
    retired: ({ number, runs }) => `第 ${number} 代仍有 ${runs} 个运行在用`,
    refresh: "刷新",
    refreshAll: "全部刷新",
    actions: "最近的更改",
    noActions: "还没有",
    kinds: { refresh: "刷新", close: "关闭" },
    causes: { request: "应要求", config: "配置", provider: "提供商", mcp: "MCP 服务器" },
    status: { requested: "已开始", deferred: "等待中", completed: "完成", failed: "失败" },
    waits: "等待：",
    force: "立即强制",
    done: "完成：从下一次运行起生效",
    doneBut: ({ problem }) => `完成，但：${problem}`,
    deferred: ({ count }) => `下一次运行起生效；旧连接在当前运行结束后关闭（${count} 个等待）`,
    failed: ({ problem }) => `没有更改：${problem}`,
    ended: "完成：旧连接已关闭",
    endedBadly: ({ problem }) => `更改结束时有问题：${problem}`,
  },
};
