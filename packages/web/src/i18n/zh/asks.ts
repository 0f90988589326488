import type { RuleScope } from "@holdfast/model/rule-scope.ts";
import { grouped } from "../grouped.ts";
import type { Text } from "../en.ts";

/** Scope of a rule as text, such as "更改 src/ 中的文件" (changes in src/). */
function covers({ action, reach, target }: RuleScope): string {
  switch (action) {
    case "change":
      return reach === "all" ? `更改 ${target} 中的文件` : `更改 ${target}`;
    case "read":
      return reach === "all" ? `读取 ${target} 中的文件` : `读取 ${target}`;
    case "run":
      return reach === "all" ? `执行以“${target}”开头的命令` : `执行“${target}”`;
    case "network":
      return reach === "all" ? `联网执行以“${target}”开头的命令` : `联网执行“${target}”`;
    case "fetch":
      return `访问 ${target}`;
    case "send":
      return `向 ${target} 发送提示词`;
    case "mcp":
      return `使用工具 ${target}`;
  }
}

export const asks: Pick<Text, "asks" | "diff"> = {
  asks: {
    needsYou: "Holdfast 需要你回应",
    open: ({ count }) => `${count} 个待处理`,
    permission: "权限请求",
    question: "提问",
    budget: "预算",
    may: ({ agent, action, subject, path }) => {
      const place = path === null ? "" : `在 ${path} 中`;
      const verbs: Record<RuleScope["action"], string> = {
        read: "读取",
        change: "更改",
        run: "执行",
        network: "联网执行",
        fetch: "访问",
        send: "发送提示词到",
        mcp: "使用工具",
      };
      const who = agent === null ? "" : ` ${agent} `;
      return `是否允许${who}${place}${verbs[action]} ${subject}？`;
    },
    mayTask: ({ agent, taskFor }) => {
      const who = agent === null ? "" : ` ${agent} `;
      return `是否允许${who}向${taskFor === null ? "子智能体" : ` ${taskFor} `}委派任务？`;
    },
    noSandbox: "此设备没有沙箱：该命令可以读取、更改并外发你的用户账户能访问的一切内容。",
    sandboxOff: "配置中已关闭沙箱：该命令可以读取、更改并外发你的用户账户能访问的一切内容。",
    notRemembered: ({ reason }) => `无法记住此回答：${reason}`,
    overBudget: ({ cost, tokens, raise }) => {
      const used = [
        ...(cost === null ? [] : [`${cost.spent}（上限 ${cost.limit}）`]),
        ...(tokens === null ? [] : [`${tokens.spent} token（上限 ${tokens.limit}）`]),
      ];
      const more = [
        ...(raise.cost === null ? [] : [raise.cost]),
        ...(raise.tokens === null ? [] : [`${raise.tokens} token`]),
      ];
      return `已用 ${used.join("、")}。是否将上限提高 ${more.join("、")}？`;
    },
    omitted: ({ characters }) => `还有 ${grouped(characters)} 个字符未加载`,
    allow: "允许一次",
    deny: "拒绝",
    allowSession: ({ scopes }) => `在此会话中允许${scopes.map(covers).join("、")}`,
    allowProject: ({ scopes }) => `始终允许${scopes.map(covers).join("、")}`,
    allowRule: ({ rule, scope }) =>
      scope === "session" ? `在此会话中允许 ${rule}` : `始终允许 ${rule}`,
    remembers: ({ rule }) => `将保存规则：${rule}`,
    answer: "回答",
    answerPlaceholder: "你的回答",
    whyNot: "拒绝原因（选填）",
    raise: "提高上限",
    stopRun: "停止运行",
    together: ({ count }) => `${count} 个权限请求`,
    allowAll: ({ count }) => `全部允许一次（${count} 个）`,
    denyAll: ({ count }) => `全部拒绝（${count} 个）`,
    details: "查看详情",
    hideDetails: "收起详情",
    denialWaits: "已拒绝，几秒后通知智能体。",
    sending: "正在发送你的回答…",
    takeBack: "收回",
    sendNow: "立即通知",
    answeredBy: ({ who, verdict, said }) =>
      said === null
        ? `${who}${verdict === "allow" ? "允许" : "拒绝"}了该请求`
        : `${who}回答：${said}`,
    allowed: "已允许",
    denied: "已拒绝",
    expired: "已过期",
    withdrawn: "已撤回",
    by: ({ who }) => `（${who ?? "你"}）`,
    otherSession: "其他会话",
  },
  diff: {
    omitted: ({ lines }) => `还有 ${grouped(lines)} 行未显示`,
    all: "查看完整差异",
    longLine: ({ characters }) => `… 显示剩余 ${grouped(characters)} 个字符`,
    noNewline: "文件末尾没有换行",
    comment: ({ line }) => `评论第 ${line} 行`,
  },
};
