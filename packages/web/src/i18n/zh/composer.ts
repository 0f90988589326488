import type { Text } from "../en.ts";
import { promptCounts } from "./prompt-counts.ts";

export const composer: Pick<Text, "composer" | "modes" | "commands" | "queue" | "cancel"> = {
  composer: {
    label: "提示词",
    placeholder: "描述你要完成的任务",
    compact: "为模型压缩对话；可补充必须保留的内容",
    placeholderBusy: "将新提示词加入队列，或引导当前运行",
    observe: "只读模式：此浏览器不能发送提示词。",
    send: "发送",
    delivery: "会话忙碌时",
    queue: "加入队列",
    queueHint: ({ isActive, ahead }) => {
      if (!isActive) return ahead === 0 ? "接下来就会运行。" : `前面还有 ${ahead} 条提示词在排队。`;
      return ahead === 0
        ? "当前运行结束后开始。"
        : `当前运行和前面 ${ahead} 条排队的提示词结束后开始。`;
    },
    steer: "引导",
    steerHint: "在下一步加入当前运行，不会中断它。",
    steerIdleHint: "当前没有运行，提示词将进入队列。",
    interrupt: "打断",
    interruptHint: ({ isActive, waiting }) => {
      if (!isActive) {
        return waiting === 0
          ? "接下来就会运行。"
          : `取消 ${waiting} 条排队的提示词，然后运行此提示词。`;
      }
      return waiting === 0
        ? "停止当前运行，然后立即运行此提示词。"
        : `取消当前运行和 ${waiting} 条排队的提示词，然后立即运行此提示词。`;
    },
    heldByPerson: "会话已暂停，恢复后才会运行此提示词。",
    heldByFailure: "发送新提示词会恢复会话，并重试队列中的第一条。",
    stop: "停止",
    stopHint: "Esc",
    attach: "添加附件",
    drop: "松开鼠标即可添加附件",
    removeAttachment: ({ name }) => `移除 ${name}`,
    uploading: "上传中…",
    tooLarge: ({ name }) => `${name} 超过 20 MB，请选择较小的文件。`,
    commands: "命令",
    unknownCommand: ({ name }) => `未知命令 /${name}。输入 / 可查看所有命令。`,
    unsent: ({ text }) => `未发送的草稿：“${text}”`,
    agent: "智能体",
    defaultAgent: "默认智能体",
    agentModel: ({ agent }) => `${agent} 的模型`,
    agentMode: ({ agent }) => `${agent} 的模式`,
    effort: "思考强度",
    defaultEffort: "默认思考强度",
    efforts: {
      minimal: "最低",
      low: "低",
      medium: "中",
      high: "高",
      xhigh: "很高",
      max: "最高",
    },
    mentions: "文件和会话",
    fromDirectory: ({ source }) => `来自 ${source} 的命令`,
  },
  modes: {
    label: "权限模式",
    inherited: "沿用父会话的模式",
    names: { ask: "询问", acceptEdits: "自动接受修改", plan: "规划" },
    meanings: {
      ask: "修改文件和执行命令前需要你许可。",
      acceptEdits: "智能体修改此目录中的文件时不再询问，执行命令前仍会询问。",
      plan: "智能体只读取内容并制定计划，不能做任何修改。",
    },
    chosen: {
      ask: "模式：询问。修改文件和执行命令前需要你许可。",
      acceptEdits: "模式：自动接受修改。智能体修改此目录中的文件时不再询问，执行命令前仍会询问。",
      plan: "模式：规划。智能体只读取内容并制定计划，不能做任何修改。",
    },
    unknown: ({ name }) => `没有名为“${name}”的模式。可用的模式：ask、accept edits、plan。`,
  },
  commands: {
    mode: "选择权限模式：询问、自动接受修改或规划",
    new: "在此目录新建会话",
    rename: "重命名此会话",
    fork: "分叉此会话",
    archive: "归档此会话",
    cancel: "取消当前运行并清空队列",
    clear: "清空队列，保留当前运行",
    hold: "暂停此会话",
    release: "恢复此会话",
    timeline: "查看此会话的时间线",
    help: "查看键盘快捷键",
  },
  queue: {
    title: "队列",
    label: "排队的提示词",
    clear: "清空",
    steering: "将在下一步加入当前运行",
    edit: "编辑",
    withdraw: "撤回",
    promote: "停止当前运行，立即运行这条",
    up: "上移",
    down: "下移",
    drag: "拖动可调整顺序，也可按 Alt 加方向键",
    moved: ({ place }) => `已移到第 ${place} 位`,
    withdrawn: "提示词已撤回",
    saved: "提示词已修改",
    started: "无法修改：提示词已开始运行",
    startedMeanwhile: "修改尚未保存，这条提示词就已按原内容开始运行。",
    discard: "放弃修改",
    sendAsNew: "作为新提示词发送",
    work: "任务",
    more: ({ count }) => `显示队列中的其余 ${count} 项`,
  },
  cancel: {
    done: (values) => `已取消 ${promptCounts(values)}`,
    nothing: "没有运行中或排队中的提示词",
    stopped: ({ queued }) =>
      queued === 0 ? "已取消当前运行" : `已取消当前运行，队列中的 ${queued} 条提示词不受影响`,
    nothingRuns: ({ queued }) =>
      queued === 0 ? "没有可停止的运行" : `没有可停止的运行，队列中有 ${queued} 条提示词`,
    putBack: "放回队列",
    background: ({ count }) => `同时停止 ${count} 条后台提示词`,
    cleared: ({ queued }) => (queued === 0 ? "队列已经是空的" : `已从队列撤回 ${queued} 条提示词`),
  },
};
