import type { Text } from "../en.ts";

export const page: Pick<
  Text,
  | "app"
  | "nav"
  | "connection"
  | "signIn"
  | "sessions"
  | "status"
  | "queuedCount"
  | "home"
  | "projects"
  | "models"
  | "palette"
  | "help"
  | "time"
  | "errors"
> = {
  app: {
    name: "Holdfast",
    tagline: "编程智能体会话，不丢失任何提示词",
    skip: "跳到对话",
    menu: "菜单",
    close: "关闭",
    cancel: "取消",
    save: "保存",
    more: "更多操作",
    copy: "复制",
    copied: "已复制",
    loading: "加载中…",
    documentTitle: ({ title, waiting }) =>
      `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Holdfast`,
  },
  nav: {
    label: "页面",
    sessions: "会话",
    timeline: "时间线",
    health: "运行状况",
    settings: "设置",
  },
  connection: {
    lost: "服务器没有响应，正在自动重连。提示词不会丢失。",
    stopping: ({ time }) =>
      `服务器即将关闭，当前运行最晚持续到 ${time}。新提示词会保存在此页面，服务器恢复后自动发送。`,
    back: "已重新连接，内容已同步",
  },
  signIn: {
    title: "通过链接登录",
    expired: "此浏览器尚未登录，或登录已过期。",
    linkUsed: "此链接已被使用，或已超过五分钟有效期。",
    how: "请在服务器所在机器的终端中运行：",
    after: "命令会输出一个链接。请在五分钟内用此浏览器打开，仅限使用一次。登录后本页会自动继续。",
    retry: "重试",
  },
  sessions: {
    title: "会话",
    search: "搜索会话",
    create: "新建会话",
    none: "暂无会话",
    noneFound: "没有找到会话",
    show: "筛选会话",
    all: "全部",
    archived: "已归档",
    untitled: "新会话",
    rename: "重命名",
    renameTitle: "重命名会话",
    titleLabel: "标题",
    archive: "归档",
    unarchive: "取消归档",
    fork: "分叉",
    forked: "已分叉，这是新会话。",
    delete: "删除",
    deleteTitle: "删除此会话？",
    deleteText:
      "运行中和排队中的提示词都会取消，会话不再接受新提示词。每条提示词的结果仍会保留在记录中。",
    deleted: "会话已删除",
    archivedToast: "会话已归档",
    undo: "撤销",
    parent: "父会话",
    isDeleted: "此会话已删除，不再接受新提示词。",
    missing: "此会话不存在，或此浏览器无权访问。",
    failed: "无法加载会话。",
    release: "恢复",
    hold: "暂停",
    export: "导出",
  },
  status: {
    idle: "空闲",
    queued: "排队中",
    running: "运行中",
    asking: "待你处理",
    stopping: "正在停止",
    cutOff: "已中断",
    working: "处理中",
    held: "已暂停",
    deleted: "已删除",
  },
  queuedCount: ({ count }) => `${count} 条排队中`,
  home: {
    title: "要让智能体做什么？",
    directory: "目录",
    directoryHint: "服务器所在机器上的文件夹，请填写绝对路径",
    prompt: "提示词",
    start: "开始",
    demoHint: "未连接模型时，由演示智能体应答。它能执行简单的指令，试试：",
    recent: "最近的会话",
    connect: "连接模型",
    needsYou: "待你处理",
  },
  projects: {
    browse: "浏览…",
    title: "选择项目目录",
    placeholder: "按名称筛选，或输入路径",
    recent: "最近使用",
    repositories: "Git 仓库",
    repository: "Git 仓库",
    folders: ({ name }) => `${name} 中的文件夹`,
    openPath: "打开此路径",
    none: "没有匹配的文件夹",
    use: ({ name }) => `使用 ${name}`,
  },
  models: {
    choose: "选择模型",
    current: ({ model }) => `模型：${model}`,
    placeholder: "搜索模型",
    usual: "默认模型",
    none: "没有匹配的模型",
    context: ({ tokens }) => `上下文 ${tokens}`,
    price: ({ input, output }) => `每百万 token 输入 ${input}，输出 ${output}`,
  },
  palette: {
    open: "命令面板",
    placeholder: "查找会话或操作",
    none: "没有结果",
  },
  help: {
    title: "键盘快捷键",
    general: "全局",
    session: "在会话中",
    composer: "在提示词输入框中",
    queue: "在队列中",
    timeline: "时间线中",
    keys: {
      palette: "打开命令面板",
      help: "显示键盘快捷键",
      newSession: "新建会话",
      nextSession: "下一个会话",
      previousSession: "上一个会话",
      search: "搜索会话",
      focusComposer: "输入提示词",
      stop: "停止当前运行",
      timeline: "查看时间线",
      bottom: "回到最新",
      send: "发送",
      newline: "换行",
      steer: "以引导方式发送",
      interrupt: "以打断方式发送",
      history: "查看之前的提示词",
      commands: "列出命令",
      files: "提及文件或会话",
      move: "移动排队的提示词",
      zoom: "放大或缩小",
      pan: "向前或向后移动",
      whole: "显示全部",
      allow: "允许请求",
      deny: "拒绝请求",
    },
  },
  time: {
    now: "刚刚",
    ago: ({ amount }) => `${amount}前`,
  },
  errors: {
    failed: ({ code, message }) => (code === null ? message : `${message}（${code}）`),
    crashed: "页面出现错误，请重新加载。服务器上的会话不受影响。",
    reload: "重新加载",
    gone: "无法加载文件：文件已被移除，或服务器没有响应。",
  },
};
