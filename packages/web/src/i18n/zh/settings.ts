import type { Text } from "../en.ts";

export const settings: Pick<
  Text,
  "settings" | "providers" | "workspace" | "mcp" | "config" | "maintenance"
> = {
  settings: {
    title: "设置",
    sections: {
      look: "外观",
      providers: "服务商",
      mcp: "MCP 服务器",
      config: "配置",
      maintenance: "维护",
    },
    theme: "主题",
    themes: { system: "跟随系统", light: "浅色", dark: "深色" },
    language: "语言",
    languages: { en: "English", zh: "中文" },
    notifications: "通知",
    notify: "页面在后台时，有新请求就通知我",
    account: "此浏览器",
    accountText: ({ name, role }) => `已登录为 ${name}，角色：${role}。`,
  },
  providers: {
    demo: "尚未连接模型，由演示智能体应答。",
    defaultModel: ({ model }) => `默认模型：${model}`,
    status: { connected: "已连接", disconnected: "未连接" },
    sources: { environment: "来自环境变量", file: "由 Holdfast 保存", config: "来自配置" },
    name: "名称",
    key: "API 密钥",
    keyHint: "密钥保存在服务器上，只有服务器所属用户可以读取，之后不再显示。",
    address: "地址",
    addressOptional: "地址（选填）",
    model: "模型",
    modelOptional: "默认模型（选填）",
    connect: "连接",
    reconnect: "更改",
    connectOther: ({ isFirst }) => (isFirst ? "连接服务商" : "连接其他服务商"),
    signIn: "登录 GitHub Copilot",
    typeCode: "打开此页面并输入代码：",
    signingIn: "正在等待登录…",
    connectTitle: ({ name }) => (name === "" ? "连接服务商" : `连接 ${name}`),
    disconnect: "断开连接",
    test: "测试",
    works: ({ name, models }) =>
      models === 0 ? `${name} 可用` : `${name} 可用，提供 ${models} 个模型`,
    fails: ({ name, problem }) => `${name} 不可用：${problem ?? "原因未知"}`,
  },
  workspace: {
    problem: "最近一次配置更改有误，尚未生效",
    mcpFailed: ({ names }) =>
      names.length === 1 ? `MCP 服务器 ${names[0]} 出错` : `${names.length} 个 MCP 服务器出错`,
    mcpLate: ({ names }) =>
      names.length === 1
        ? `MCP 服务器 ${names[0]} 正在启动`
        : `${names.length} 个 MCP 服务器正在启动`,
  },
  mcp: {
    none: "此目录没有使用 MCP 服务器。项目配置中的 MCP 服务器在你信任该配置后才会启用。",
    status: {
      connecting: "正在启动",
      connected: "已连接",
      reconnecting: "正在重连",
      failed: "失败",
    },
    restart: "重启",
    server: "服务器",
    tools: "工具",
    stderr: "最近的错误输出（stderr）",
  },
  config: {
    scope: "配置文件",
    scopes: { project: "项目", user: "用户" },
    text: "配置内容",
    missing: "尚不存在，保存后会自动创建。",
    schema: "查看 Schema",
    line: ({ line, column }) =>
      column === null ? `第 ${line} 行` : `第 ${line} 行第 ${column} 列`,
    trusted: "你已信任此项目配置。它可以在服务器所在的机器上执行以下操作：",
    untrusted: "此项目配置会在服务器所在的机器上执行以下操作，信任后才会生效：",
    trust: "信任",
    distrust: "取消信任",
  },
  maintenance: {
    what: "更改从下一次运行起生效，当前运行继续使用启动时的配置。",
    nothingOpen: "尚未加载任何目录，运行开始时会自动加载。",
    generation: ({ number, runs }) =>
      runs === 0 ? `配置版本 ${number}` : `配置版本 ${number}，${runs} 个运行正在使用`,
    retired: ({ number, runs }) => `配置版本 ${number} 仍有 ${runs} 个运行在使用`,
    refresh: "重新加载",
    refreshAll: "全部重新加载",
    actions: "最近的更改",
    noActions: "暂无更改",
    kinds: { refresh: "重新加载", close: "关闭" },
    causes: { request: "手动操作", config: "配置", provider: "服务商", mcp: "MCP 服务器" },
    status: { requested: "已开始", deferred: "等待中", completed: "已完成", failed: "失败" },
    waits: "正在等待：",
    force: "立即停止这些运行",
    done: "已完成，从下一次运行起生效。",
    doneBut: ({ problem }) => `已完成，但有问题：${problem}`,
    deferred: ({ count }) => `从下一次运行起生效。还有 ${count} 个运行在使用旧连接。`,
    failed: ({ problem }) => `未做任何更改：${problem}`,
    ended: "已完成，旧连接已关闭。",
    endedBadly: ({ problem }) => `更改结束，但有问题：${problem}`,
  },
};
