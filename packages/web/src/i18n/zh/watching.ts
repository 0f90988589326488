import type { Text } from "../en.ts";

/** What the server was at. */
export const watching: Pick<Text, "health" | "timeline"> = {
  health: {
    title: "健康",
    noSandboxShort: "无沙箱",
    noSandbox: ({ problem }) =>
      `服务器所在的机器没有沙箱：${problem}。智能体的命令可以读取、修改和发送该用户能访问的一切。`,
    reach: "时间范围",
    reaches: { quarter: "15 分钟", hour: "1 小时", day: "1 天" },
    running: "运行中",
    waiting: "等待中",
    needsYou: "需要你",
    held: "已暂停",
    medianWait: "等待中位数",
    highWait: "95% 等待",
    failed: "失败",
    depth: "运行与等待",
    most: ({ value }) => `最多 ${value} 个等待`,
    rate: "结束的提示",
    perMinute: ({ value }) => `每分钟完成 ${value} 个`,
    inQueue: "排队时间",
    median: ({ value }) => `中位数 ${value}`,
    tokens: "令牌数",
    input: "输入",
    output: "输出",
    cost: "费用",
    failures: "最近的失败",
    noFailures: "这段时间没有失败。",
    since: ({ version, time, accepted, settled, tokens, cost }) =>
      `Holdfast ${version}，已运行 ${time}：接受 ${accepted} 个提示，结束 ${settled} 个，${tokens} 个令牌，${cost}。`,
    caps: {
      day: ({ spent, limit, until }) =>
        `每日支出上限：已用 ${spent}，上限 ${limit}，${until} 重置。`,
      month: ({ spent, limit, until }) =>
        `每月支出上限：已用 ${spent}，上限 ${limit}，${until} 重置。`,
    },
    source: ({ count, wanted }) =>
      count < wanted
        ? `图表取自此时段内有活动或仍有工作的 ${wanted} 个会话中 ${count} 个的日志。`
        : `图表取自此时段内有活动或仍有工作的全部 ${count} 个会话的日志。`,
  },
  timeline: {
    label: "提示的时间线",
    serverTitle: "服务器时间线",
    noWords: "（无文字）",
    empty: "还没有提示。每个提示从被接受起都会在这里显示为一条。",
    legend: "颜色的含义",
    kinds: {
      waiting: "等待",
      held: "暂停",
      model: "模型",
      tool: "工具",
      asking: "等待人",
      cutOff: "中断",
      stopping: "正在停止",
      other: "步骤之间",
    },
    toolNamed: ({ name }) => `工具 ${name}`,
    step: ({ step }) => `第 ${step} 步`,
    waits: ({ time }) => `已等待 ${time}`,
    runs: ({ time }) => `已运行 ${time}`,
    waited: ({ time }) => `等待 ${time}`,
    ran: ({ time }) => `运行 ${time}`,
    neverStarted: "从未开始",
    joinedRun: "加入了当前运行",
    joinsSoon: ({ text }) => `将在“${text}”的下一步加入`,
    behind: ({ text }) => `排在“${text}”之后`,
    sessionHeld: "会话已暂停",
    nextInLine: "下一个就是它",
    waitedBehind: "等待过",
    prompts: "提示",
    nowRunning: "运行中",
    nowWaiting: "等待中",
    longestWait: "最长等待",
    longestRun: "最长运行",
    zoomIn: "放大",
    zoomOut: "缩小",
    zoomTo: "放大到它",
    whole: "全部",
    earlier: "加载更早的内容",
    earlierSessions: "显示更早的会话",
    shown: ({ count, wanted }) =>
      count < wanted
        ? `共 ${wanted} 个会话，显示 ${count} 个，有工作的优先。`
        : `显示 ${count} 个会话：所有有工作的，以及最近活动的。`,
    overview: "各时刻运行和等待的提示数",
    overviewHint: "拖动查看一段，双击查看全部",
    folded: ({ time }) => `${time} 内没有发生任何事`,
    detail: "此提示的时间去向",
    toMessages: "查看其消息",
    childTimeline: "子会话的时间线",
  },
};
