import type { Text } from "../en.ts";
import { stopped } from "./stopped.ts";

/** What can be said to a session. */
export const composer: Pick<Text, "composer" | "commands" | "queue" | "cancel" | "asks"> = {
  composer: {
    label: "提示",
    placeholder: "说说要做什么",
    placeholderBusy: "排队下一个提示，或引导当前运行",
    observe: "此浏览器只能查看",
    send: "发送",
    delivery: "会话忙碌时的处理方式",
    queue: "排队",
    queueHint: ({ isActive, ahead }) => {
      if (!isActive) return ahead === 0 ? "接下来运行。" : `在 ${ahead} 个等待的提示之后运行。`;
      return ahead === 0
        ? "在当前运行结束后运行。"
        : `在当前运行和 ${ahead} 个等待的提示之后运行。`;
    },
    steer: "引导",
    steerHint: "在下一步加入当前运行，不停止任何东西。",
    steerIdleHint: "没有正在进行的运行：它会在队列中等待。",
    interrupt: "打断",
    interruptHint: ({ isActive, waiting }) => {
      if (!isActive) return `取消 ${waiting} 个等待的提示，排到第一位。`;
      return waiting === 0
        ? "停止当前运行，然后立即运行。"
        : `取消当前运行和 ${waiting} 个等待的提示，然后立即运行。`;
    },
    heldByPerson: "会话已暂停：提示会等到解除之后。",
    heldByFailure: "新提示会解除暂停：队列中的第一个会重试。",
    idleHint: "立即运行。",
    stop: "停止",
    stopHint: "Esc",
    attach: "添加文件",
    drop: "松开以添加文件",
    removeAttachment: ({ name }) => `移除 ${name}`,
    uploading: "上传中…",
    tooLarge: ({ name }) => `${name} 超过 20 MB`,
    commands: "命令",
    unknownCommand: ({ name }) => `没有命令 /${name}`,
    history: "↑ 之前的提示",
    unsent: ({ text }) => `尚未发送：“${text}”`,
    agent: "智能体",
    usualAgent: "默认智能体",
    model: "模型，格式为 provider/name",
    fromDirectory: ({ source }) => `${source} 的命令`,
  },
  commands: {
    new: "在此目录新建会话",
    rename: "重命名此会话",
    fork: "分叉此会话",
    archive: "归档此会话",
    cancel: "取消所有未结束的提示",
    clear: "清空队列，不影响当前运行",
    hold: "暂停此会话",
    release: "解除所有暂停",
    timeline: "显示此会话的时间线",
    help: "显示按键",
  },
  queue: {
    title: "队列",
    label: "等待的提示",
    clear: "清空",
    place: ({ place }) => `第 ${place} 位`,
    steering: "在下一步加入",
    edit: "编辑",
    withdraw: "撤回",
    promote: "立即运行：停止当前运行",
    up: "上移",
    down: "下移",
    drag: "拖动排序；或使用 Alt 加方向键",
    moved: ({ place }) => `已移到第 ${place} 位`,
    withdrawn: "已撤回",
    saved: "已更改",
    started: "太迟了：它已经开始",
    work: "独占工作",
    more: ({ count }) => `还有 ${count} 个`,
  },
  cancel: {
    done: (parts) => {
      const background = parts.background === 0 ? "" : `后台 ${parts.background} 个`;
      if (parts.running + parts.queued === 0) return `已停止${background}`;
      return `已停止${[stopped(parts), background].filter((part) => part !== "").join("，")}`;
    },
    nothing: "没有运行或等待的提示",
    background: ({ count }) => `也停止后台的 ${count} 个`,
    cleared: ({ queued }) => (queued === 0 ? "没有等待的提示" : `已撤回 ${queued} 个提示`),
  },
  asks: {
    needsYou: "Holdfast 需要你",
    open: ({ count }) => `${count} 个待答`,
    permission: "许可",
    question: "问题",
    allow: "允许",
    deny: "拒绝",
    allowSession: "在此会话中允许",
    allowProject: "在此项目中允许",
    remembers: ({ rule }) => `将记住：${rule}`,
    answer: "回答",
    answerPlaceholder: "你的回答",
    whyNot: "为什么不？（可不填）",
    answeredBy: ({ who, verdict, said }) =>
      said === null ? `${who}${verdict === "allow" ? "允许" : "拒绝"}了` : `${who}回答：${said}`,
    allowed: "已允许",
    denied: "已拒绝",
    expired: "已过期",
    withdrawn: "已撤回",
    by: ({ who }) => `（${who ?? "你"}）`,
    otherSession: "在另一个会话中",
  },
};
