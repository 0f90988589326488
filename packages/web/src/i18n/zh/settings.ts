import type { Text } from "../en.ts";

export const settings: Pick<
  Text,
  "settings" | "providers" | "workspace" | "mcp" | "config" | "maintenance"
> = {
  settings: {
    title: "设置",
    sections: {
      look: "外观",
      notifications: "通知",
      access: "访问权限",
      providers: "服务商",
      mcp: "MCP 服务器",
      rules: "已记住的规则",
      config: "配置",
      webhooks: "Webhook",
      maintenance: "维护",
    },
    theme: "主题",
    themes: { system: "跟随系统", light: "浅色", dark: "深色" },
    language: "语言",
    languages: { en: "English", zh: "中文" },
    notifications: "此页面",
    notify: "此页面处于后台时通知我",
    keyboard: "键盘",
    letterKeys: "启用单键快捷键，例如按 Y 允许请求、按 + 放大",
    editor: "打开文件的编辑器",
    editorHint: "选择后，可从文件更改列表用此编辑器打开会话目录中的文件。仅当服务器在本机时可用。",
    noEditor: "无",
    account: "此浏览器",
    accountText: ({ name, role }) => `已以 ${name} 的身份登录，角色：${role}。`,
  },
  providers: {
    demo: "尚未连接模型，由演示智能体回答。",
    noModel: "当前没有已连接的模型。请先连接服务商，再发送提示词。",
    defaultModel: ({ model }) => `默认模型：${model}`,
    status: {
      connected: "已连接",
      stored: "已配置，尚未测试",
      failed: "已配置，但测试失败",
      disconnected: "未连接",
    },
    sources: { environment: "来自环境变量", file: "由 Holdfast 保存", config: "来自配置" },
    name: "名称",
    key: "API 密钥",
    keyHint: "密钥保存在服务器上，只有运行服务器的系统用户可以读取，之后不再显示。",
    address: "地址",
    addressOptional: "地址（选填）",
    addressHint: "Holdfast 已知的服务（如 groq、mistral）无需填写。",
    model: "模型",
    modelOptional: "默认模型（选填）",
    connect: "连接",
    reconnect: "更改",
    connectOther: ({ isFirst }) => (isFirst ? "连接服务商" : "连接其他服务商"),
    other: "其他服务器",
    getKey: "前往服务商网站创建 API 密钥",
    access: { key: "API 密钥", signIn: "登录", address: "服务器地址" },
    typeCode: "打开此页面并输入验证码：",
    signingIn: "正在等待登录…",
    signInRefused: ({ message }) => `目前无法登录，但可以用密钥连接。${message}`,
    chooseDefault: ({ name }) => `选择 ${name} 的默认模型`,
    connectTitle: ({ name }) => (name === "" ? "连接服务商" : `连接 ${name}`),
    disconnect: "断开连接",
    disconnectTitle: ({ name }) => `断开 ${name}？`,
    disconnectStored:
      "Holdfast 会删除保存的 API 密钥。正在使用该服务商的运行不受影响，之后的运行需要改用其他服务商。",
    disconnectText:
      "API 密钥仍保留在原来的配置中。正在使用该服务商的运行不受影响，之后的运行需要改用其他服务商。",
    changeTitle: ({ name }) => `更改 ${name}`,
    keyKept: ({ key }) => `留空则继续使用密钥 ${key}。`,
    testing: "正在测试连接…",
    slow: "服务商尚未响应，你可以继续等待或取消。",
    testAndConnect: "测试并连接",
    testAndSave: "测试并保存",
    saveAnyway: "仍要保存",
    // The server's message is English, so a Chinese text names the setting to check first.
    refused: ({ field, problem }) => checkField(field, problem),
    test: "测试",
    works: ({ name, models }) =>
      models === 0 ? `${name} 可用` : `${name} 可用，提供 ${models} 个模型`,
    fails: ({ name, field, problem }) =>
      field === null
        ? `${name} 不可用：${problem ?? "原因未知"}`
        : `${name} 不可用。${checkField(field, problem)}`,
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
    signIn: "登录",
    signInTitle: ({ name }) => `登录 ${name}`,
    openPage: "打开此页面并在其中登录：",
    pasteHint:
      "如果浏览器和服务器不在同一台机器上，登录流程的最后一页将无法打开。请从地址栏复制该页的地址，粘贴到这里：",
    lastPage: "无法打开的页面的地址",
    finish: "完成",
    signedIn: ({ name }) => `已登录 ${name}`,
    signInFailed: ({ name, problem }) => `登录 ${name} 失败：${problem ?? "原因未知"}`,
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
    discard: "放弃修改",
    plain: "使用纯文本输入框（更适合屏幕阅读器）",
    problems: {
      syntax: "配置内容不是有效的 JSON。",
      unknownKey: ({ key }) => `此处没有名为“${key}”的设置。`,
      missingKey: ({ key }) => `缺少设置“${key}”。`,
      wrongType: ({ type }) => `值的类型必须是 ${type}。`,
      notOneOf: ({ values }) => `值必须是以下之一：${values}。`,
      tooLow: ({ limit }) => `值不能小于 ${limit}。`,
      tooHigh: ({ limit }) => `值不能大于 ${limit}。`,
      empty: "值不能为空。",
      badFormat: "值的格式不正确。",
    },
    line: ({ line, column }) =>
      column === null ? `第 ${line} 行` : `第 ${line} 行第 ${column} 列`,
    trusted: "你已信任此项目配置。它可以在服务器所在的机器上执行以下操作：",
    untrusted: "此项目配置会在服务器所在的机器上执行以下操作，信任后才会生效：",
    trust: "信任",
    distrust: "取消信任",
  },
  maintenance: {
    loaded: "已加载的目录",
    what: "配置更改从下一次运行起生效，当前运行继续使用启动时的配置。",
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
    deferred: ({ count }) => `从下一次运行起生效。还有 ${count} 个运行在使用旧设置。`,
    failed: ({ problem }) => `未做任何更改：${problem}`,
    ended: "更改已完成，已没有运行使用旧设置。",
    endedBadly: ({ problem }) => `更改结束，但有问题：${problem}`,
  },
};

function checkField(field: keyof typeof providerFields | null, problem: string | null): string {
  const setting = field === null ? "设置" : providerFields[field];
  return `请检查${setting}：${problem ?? "服务商没有说明原因。"}`;
}

const providerFields = {
  name: "名称",
  key: " API 密钥",
  baseUrl: "地址",
  defaultModel: "默认模型",
} as const;
