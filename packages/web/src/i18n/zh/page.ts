import type { Text } from "../en.ts";

/** What stands around every view, and on the first one. */
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
  | "palette"
  | "help"
  | "time"
  | "errors"
> = {
  app: {
    name: "Holdfast",
    tagline: "绝不丢失任何提示的编码智能体会话",
    skip: "跳到对话",
    menu: "菜单",
    close: "关闭",
    cancel: "取消",
    save: "保存",
    more: "更多操作",
    back: "返回",
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
    health: "健康",
    settings: "设置",
    api: "API",
  },
  connection: {
    connecting: "正在连接…",
    lost: "服务器没有应答。页面会自动重试，不会丢失任何内容。",
    stopping: ({ time }) =>
      `服务器即将停止。正在运行的任务可以进行到 ${time}；不会丢失任何内容，您发送的提示会在这里等待。`,
    back: "已重新连接，没有遗漏",
  },
  signIn: {
    title: "用链接打开 Holdfast",
    expired: "此浏览器尚未登录，或登录已过期。",
    linkUsed: "此链接已被使用，或已超过五分钟。",
    how: "在服务器所在机器的终端中运行：",
    after: "它会打印一个链接，五分钟内有效，只能使用一次。登录后本页会自动察觉。",
    retry: "重试",
  },
  sessions: {
    title: "会话",
    search: "搜索会话",
    create: "新建会话",
    none: "还没有会话",
    noneFound: "没有找到",
    show: "显示哪些会话",
    all: "全部",
    archived: "已归档",
    untitled: "新会话",
    rename: "重命名",
    renameTitle: "重命名会话",
    titleLabel: "标题",
    archive: "归档",
    unarchive: "取消归档",
    fork: "分叉",
    forked: "已分叉：这是新会话",
    delete: "删除",
    deleteTitle: "删除此会话？",
    deleteText: "其中运行和等待的提示都会被取消，会话不再接受新提示。所有提示仍保留在账本中。",
    deleted: "已删除",
    archivedToast: "已归档",
    undo: "撤销",
    children: ({ count }) => `${count} 个子会话`,
    parent: "父会话",
    isDeleted: "此会话已删除，不再接受提示。",
    missing: "没有这个会话，或此浏览器无权查看。",
    failed: "无法加载会话。",
    release: "解除",
    hold: "暂停",
    holdHint: "仍接受提示，但不启动运行",
    copyId: "复制会话 ID",
    export: "导出",
  },
  status: {
    idle: "空闲",
    queued: "排队中",
    running: "运行中",
    asking: "需要你",
    stopping: "正在停止",
    cutOff: "已中断",
    working: "处理中",
    held: "已暂停",
    deleted: "已删除",
  },
  queuedCount: ({ count }) => `${count} 个排队`,
  home: {
    title: "要做什么？",
    directory: "目录",
    directoryHint: "服务器所在机器上的文件夹，绝对路径",
    prompt: "提示",
    start: "开始",
    demoHint: "没有模型时由演示智能体应答，它会照提示行事；试试：",
    recent: "最近的会话",
    running: "正在运行",
    needsYou: "需要你",
  },
  palette: {
    open: "命令面板",
    placeholder: "前往会话，或执行操作",
    none: "没有找到",
    sessions: "会话",
    actions: "操作",
  },
  help: {
    title: "按键",
    general: "任何地方",
    session: "会话中",
    composer: "输入框中",
    queue: "队列中",
    timeline: "时间线中",
    keys: {
      palette: "命令面板",
      help: "显示按键",
      newSession: "新建会话",
      nextSession: "下一个会话",
      previousSession: "上一个会话",
      search: "搜索会话",
      focusComposer: "写提示",
      stop: "停止：取消所有未结束的提示",
      timeline: "时间线",
      bottom: "到最新处",
      send: "发送",
      newline: "换行",
      steer: "作为引导发送",
      interrupt: "作为打断发送",
      history: "之前的提示",
      commands: "命令",
      move: "移动等待的提示",
      zoom: "放大、缩小",
      pan: "更早、更晚",
      whole: "全部",
      allow: "允许",
      deny: "拒绝",
    },
  },
  time: {
    now: "刚刚",
    ago: ({ amount }) => `${amount}前`,
  },
  errors: {
    failed: ({ code, message }) => (code === null ? message : `${message}（${code}）`),
    crashed: "页面自身出了问题。请重新加载；服务器不受影响。",
    reload: "重新加载",
    gone: "服务器上已没有此文件，或服务器没有响应。",
  },
};
