// HTML as spreadsheet and report programs save it, often with an Excel extension. Each file is our own small copy of their markup.
import { expect, test } from "vitest";
import { linesOf } from "./testing.ts";

const LINES = ["2026-11-20 | -1500.00 | 632600000001 | NEFT ACME", "2026-11-21 | 25.50 | none | INTEREST"];
const HEADINGS = ["Date", "Narration", "Ref No", "Debit", "Credit"] as const;
const CELLS = [
  ["20/11/2026", "NEFT ACME", "632600000001", "1,500.00", ""],
  ["21/11/2026", "INTEREST", "", "", "25.50"],
] as const;

/** Rows whose cells a program writes: `cell` gets a text, its column and whether it is a heading. */
function rows(cell: (text: string, column: number, isHeading: boolean) => string, tr = "<tr>"): string {
  const rowOf = (texts: readonly string[], isHeading: boolean): string =>
    `${tr}\n${texts.map((text, column) => cell(text, column, isHeading)).join("\n")}\n</tr>\n`;
  return rowOf(HEADINGS, true) + CELLS.map((texts) => rowOf(texts, false)).join("");
}

const EXCEL = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">
<head><meta name=Generator content="Microsoft Excel 15"><link rel=File-List href="a_files/filelist.xml">
<!--[if !mso]><style>v\\:* {behavior:url(#default#VML);} .shape {behavior:url(#default#VML);}</style><![endif]-->
<style id="Book1_1"><!--table
	{mso-displayed-decimal-separator:"\\.";
	mso-displayed-thousand-separator:"\\,";}
@page
	{margin:.75in .7in .75in .7in;
	mso-header-margin:.3in;}
.font5
	{color:red; font-size:9.0pt; font-family:Tahoma, sans-serif; mso-font-charset:0;}
tr
	{mso-height-source:auto;}
col
	{mso-width-source:auto;}
br
	{mso-data-placement:same-cell;}
.style0
	{mso-number-format:General; text-align:general; vertical-align:bottom; white-space:nowrap; mso-rotate:0;
	mso-background-source:auto; mso-pattern:auto; color:black; font-size:11.0pt; font-weight:400; font-style:normal;
	text-decoration:none; font-family:Calibri, sans-serif; border:none; mso-protection:locked visible; mso-style-name:Normal;}
td
	{mso-style-parent:style0; padding-top:1px; padding-right:1px; padding-left:1px; mso-ignore:padding; color:black;
	font-size:11.0pt; text-underline-style:none; text-line-through:none; vertical-align:bottom; mso-background-source:auto;}
.xl65
	{mso-style-parent:style0; mso-number-format:"\\#\\,\\#\\#0\\.00";}
.xl66
	{mso-style-parent:style0; mso-number-format:"dd\\/mm\\/yyyy"; text-align:right;}
.xl67
	{mso-style-parent:style0; mso-number-format:"\\@"; border:.5pt solid windowtext; background:#FFC000; mso-pattern:black none;}
.xl68
	{mso-number-format:"_ * \\#\\,\\#\\#0\\.00_ \\;_ * \\\\-\\#\\,\\#\\#0\\.00_ \\;_ * \\0022-\\0022??_ \\;_ \\@_ ";}
.xl69
	{color:white; mso-number-format:"\\[$\\20B9-4009\\]\\\\ \\#\\,\\#\\#0\\.00"; font-weight:700; background:navy;}
ruby
	{ruby-align:left;}
rt
	{color:windowtext; font-size:8.0pt; mso-char-type:none; display:none;}
--></style>
<!--[if gte mso 9]><xml><x:ExcelWorkbook><x:ExcelWorksheets></x:ExcelWorksheets></x:ExcelWorkbook></xml><![endif]--></head>
<body link=blue vlink=purple>
<table border=0 cellpadding=0 cellspacing=0 width=320 style='border-collapse:collapse;table-layout:fixed;width:240pt'>
<col class=xl66 width=64 style='mso-width-source:userset;mso-width-alt:2048;width:48pt'><col width=64 span=4 style='width:48pt'>
${rows((text, column, isHeading) => {
  const style = isHeading ? "xl69" : (["xl66", "xl67", "xl67", "xl65", "xl68"][column] as string);
  return `<td height=20 class=${style} width=64 style='height:15.0pt;border-top:none;mso-ignore:colspan'>${text}</td>`;
}, "<tr height=20 style='mso-height-source:userset;height:15.0pt'>")}
<![if supportMisalignedColumns]><tr height=0 style='display:none'><td width=64 style='width:48pt'></td></tr><![endif]>
</table></body></html>`;

const LIBRE_OFFICE = `<!DOCTYPE html>
<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"/><title></title>
<style type="text/css">
body,div,table,thead,tbody,tfoot,tr,th,td,p { font-family:"Liberation Sans"; font-size:x-small }
a.comment-indicator:hover + comment { background:#ffd; position:absolute; display:block; border:1px solid black; padding:0.5em; }
a.comment-indicator { background:red; display:inline-block; border:1px solid black; width:0.5em; height:0.5em; }
comment { display:none; }
</style></head><body>
<table cellspacing="0" border="0"><colgroup span="5" width="85"></colgroup>
${rows((text, _, isHeading) => {
  const sdval = /^[\d,]+\.\d\d$/.test(text) ? ` sdval="${text.replaceAll(",", "")}" sdnum="16393;"` : "";
  return `<td style="border-top: 1px solid #000000" height="17" align="left" valign=bottom bgcolor="#FFFFFF"${sdval}>${isHeading ? `<b><font face="Liberation Serif" color="#000000">${text}</font></b>` : `<font color="#000000">${text}</font>`}</td>`;
})}</table><!-- ************ --></body></html>`;

const PHP = `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html><head><style type="text/css">
html { font-family:Calibri, Arial, Helvetica, sans-serif; font-size:11pt; background-color:white }
a.comment-indicator:hover + div.comment { background:#ffd; position:absolute; display:block; border:1px solid black; padding:0.5em }
a.comment-indicator { background:red; display:inline-block; border:1px solid black; width:0.5em; height:0.5em }
div.comment { display:none }
table { border-collapse:collapse; page-break-after:always }
.gridlines td { border:1px dotted black }
.n { text-align:right } .s { text-align:left }
td.style0, th.style0 { vertical-align:bottom; border-bottom:none #000000; color:#000000; font-family:'Calibri'; font-size:11pt; background-color:white }
td.style1 { vertical-align:middle; border-left:1px solid #000000 !important; font-weight:bold; color:#FFFFFF; background-color:#4472C4 }
table.sheet0 col.col0 { width:42pt } table.sheet0 tr { height:15pt } table.sheet0 tr.row0 { height:18.75pt }
@page { margin-left: 0.7in; margin-right: 0.7in; }
body { margin-left: 0.7in; margin-right: 0.7in; }
</style></head><body>
<table border="0" cellpadding="0" cellspacing="0" id="sheet0" class="sheet0 gridlines"><col class="col0"><tbody>
${rows((text, column, isHeading) => `<td class="column${column} style${isHeading ? 1 : 0} s">${text === "" ? "&nbsp;" : text}</td>`, '<tr class="row1">')}</tbody></table></body></html>`;

const JASPER = `<html><head><title></title><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"/>
<style type="text/css">a {text-decoration: none}</style></head>
<body text="#000000" link="#000000" alink="#000000" vlink="#000000">
<table role="none" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td width="50%">&nbsp;</td><td align="center">
<a name="JR_PAGE_ANCHOR_0_1"></a>
<table class="jrPage" data-jr-height="842" cellpadding="0" cellspacing="0" border="0" style="empty-cells: show; width: 595px; border-collapse: collapse; background-color: white;">
${rows((text) => `<td style="pointer-events: auto; border: 1px solid #000000; text-indent: 0px; padding-left: 2px; vertical-align: middle;text-align: left;"><span style="font-family: 'DejaVu Sans', Arial, Helvetica, sans-serif; color: #000000; font-size: 8px; line-height: 1.1640625; font-weight: bold;">${text}</span></td>`, '<tr valign="top" style="height:20px">')}
</table></td><td width="50%">&nbsp;</td></tr></table></body></html>`;

const BIRT = `<html><head><style type="text/css">
.style_0 { font-family: serif; font-style: normal; font-variant: normal; font-weight: normal; font-size: 10pt; color: black; text-indent: 0em; letter-spacing: normal; word-spacing: normal; text-transform: none; white-space: normal;}
.style_1 { border-bottom-style: solid; border-bottom-width: 1pt; border-bottom-color: gray; padding: 2pt; background-color: #EEEEEE;}
</style></head><body class="style_0" style=" margin:0px;">
<table cellpadding="0" style="empty-cells: show; border-collapse:collapse; width:8in; overflow: hidden; table-layout:fixed;"><col></col>
${rows((text) => `<td class="style_1" style=" overflow:visible;"><div style=" text-align:left;">${text}</div></td>`, '<tr style=" height:0.25in;" valign="top">')}</table></body></html>`;

const REPORTING_SERVICES = `<html><head><META HTTP-EQUIV="Content-Type" CONTENT="text/html"><style type="text/css">
.a0 {border-collapse:collapse;} .r1 {HEIGHT:100%;WIDTH:100%}
.a5 {min-width: 20mm;border:1pt solid LightGrey;background-color:Transparent;padding:2pt;vertical-align:top;font-size:10pt;}
.a6 {WORD-WRAP:BREAK-WORD;white-space:pre-wrap;font-style:normal;font-family:Segoe UI;font-size:10pt;font-weight:400;text-decoration:none;unicode-bidi:normal;color:Black;direction:LTR;layout-flow:Horizontal;writing-mode:lr-tb;vertical-align:top;text-align:left;}
</style></head><body><div dir="LTR"><table cellspacing="0" cellpadding="0" class="a0" cols="5">
${rows((text) => `<td class="a5"><div class="a6">${text === "" ? "&nbsp;" : text}</div></td>`, '<tr valign="top">')}</table></div></body></html>`;

const GRID_VIEW = `<style> .textmode { mso-number-format:\\@; } </style><div>
<table cellspacing="0" cellpadding="4" rules="all" border="1" id="gv" style="color:#333333;border-collapse:collapse;">
${rows((text, _, isHeading) => (isHeading ? `<th scope="col" style="color:White;background-color:#507CD1;font-weight:bold;">${text}</th>` : `<td class="textmode" align="right" style="white-space:nowrap;">${text === "" ? "&nbsp;" : text}</td>`), '<tr style="background-color:#EFF3FB;">')}</table></div>`;

const OLD = `<HTML><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="application/vnd.ms-excel"></HEAD>
<BODY BGCOLOR="#FFFFFF" TEXT="#000000" onload="window.print()"><CENTER><TABLE BORDER=1 WIDTH=100%>
${rows((text) => `<TD NOWRAP ALIGN=LEFT BGCOLOR="#CCCCFF"><FONT FACE="Arial" SIZE=2 COLOR="NAVY"><NOBR>${text}</NOBR></FONT></TD>`, "<TR VALIGN=TOP>")}</TABLE></CENTER></BODY></HTML>`;

test.each([
  ["Excel", EXCEL],
  ["LibreOffice", LIBRE_OFFICE],
  ["PhpSpreadsheet", PHP],
  ["JasperReports", JASPER],
  ["BIRT", BIRT],
  ["Reporting Services", REPORTING_SERVICES],
  ["a grid of ASP.NET", GRID_VIEW],
  ["a web page under the name of Excel", OLD],
])("%s is read", async (_program, file) => {
  expect(await linesOf(file)).toEqual(LINES);
});

test("a shop's own style is read too: stripes, badges and a dark heading", async () => {
  const sheet = `<style>table { width: 100%; margin: 0 auto; font: 12px/1.4 Arial } th { background: #036; color: #fff; padding: 4px 8px }
    tr:nth-child(even) { background-color: #f5f5f5 } td.num { text-align: right; font-variant-numeric: tabular-nums }
    .total td { background: #333; color: white } @media print { .no-print { display: none } }</style>`;
  const table = `<button class="no-print" onclick="window.print()">Print</button><table>${rows(
    (text, column, isHeading) =>
      isHeading ? `<th>${text}</th>` : `<td class="${column > 2 ? "num" : ""}">${text}</td>`,
  )}<tr class=total><td>Total</td><td></td><td></td><td class=num>1,500.00</td><td class=num>25.50</td></tr></table>`;
  expect(await linesOf(sheet + table)).toEqual(LINES);
});
